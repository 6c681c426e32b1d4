def log = new File(basedir, 'build.log').text
assert log.contains('io.glyphgate.spi.PoolPolicyProvider.added():METHOD_ADDED_TO_INTERFACE')
assert !log.contains('io.glyphgate.spi.ChoiceWriter.added():METHOD_ADDED_TO_INTERFACE')
// The report of the last run: the change was seen.
assert new File(basedir, 'target/japicmp/nothing-goes.diff').text.contains('added()')
