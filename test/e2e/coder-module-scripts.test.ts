// The module's own test, which is beside it as Coder's registry requires.
import '../../deploy/coder/ion/main.test.ts'
