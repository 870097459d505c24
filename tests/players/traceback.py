# Ends with a traceback before it says anything.
import no_such_module_anywhere
