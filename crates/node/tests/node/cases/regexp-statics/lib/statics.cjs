exports.doctype = (text) => {
  if (!/^(\w+)(\s+"(\w+)")?/.test(text)) return undefined;
  const { $1: name, $3: id } = RegExp;
  return [name, id];
};
