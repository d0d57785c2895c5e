// The module's own test, which lies beside it as Coder's registry wants it.
import '../../deploy/coder/ion/main.test.ts'
