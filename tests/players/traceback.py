# Ends with a traceback before its greeting.
import no_such_module_anywhere
