// The programs of the page for users do what it says.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';

const page = readFileSync(`${process.env.GLYPHGATE_DOCS}/how-to/use-official-sdks.md`, 'utf8');
const snippets = [...page.matchAll(/```javascript\n((?:(?!```).)*)```\n\n```text\n(.*?)```\n/gs)];

describe('snippets', () => {
  test('the page has some', () => assert.ok(snippets.length > 0));
  snippets.forEach(([, program, output], i) =>
    test(`a program of the page: ${i + 1}`, () => {
      const said = execFileSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8', timeout: 60_000 });

      assert.equal(said.trimEnd(), output.trimEnd());
    }),
  );
});
