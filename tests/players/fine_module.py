# A module beside players, which `hostile.py modules-beside` imports.
IS_HERE = True
