// The errors of json() for a body that is not JSON.
const j = async (t) => {
  try {
    await new Response(t).json();
    return 'ok';
  } catch (e) {
    return [e.name, e.message];
  }
};
for (const t of [
  'nope',
  'not found',
  '<html><body>long enough here</body></html>',
  '   <html>',
  'oops, this is not json at all',
  'false',
  'fals!',
  '',
  'not a very short text, it is long',
])
  console.log(JSON.stringify([t, await j(t)]));
