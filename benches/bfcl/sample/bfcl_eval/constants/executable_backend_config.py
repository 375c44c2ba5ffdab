"""Where the documents and the code of the API classes are."""

MULTI_TURN_FUNC_DOC_FILE_MAPPING = {'LightsAPI': 'lights.json', 'LibraryAPI': 'library.json'}
CLASS_FILE_PATH_MAPPING = {'LightsAPI': 'bfcl_eval.apis.lights', 'LibraryAPI': 'bfcl_eval.apis.library'}
STATELESS_CLASSES = []
