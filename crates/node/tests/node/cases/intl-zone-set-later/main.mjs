// `TZ` set while the script runs.
const early = new Date(0);
for (const zone of ['Asia/Tokyo', 'America/New_York', 'UTC', 'Nowhere/AtAll']) {
  process.env.TZ = zone;
  console.log(zone, String(early), new Date(2024, 6, 1).toISOString(), early.getHours(), early.toLocaleString('de'), Intl.DateTimeFormat().resolvedOptions().timeZone);
}
delete process.env.TZ;
process.env.NUMBER = 5;
console.log(process.env.NUMBER, typeof process.env.NUMBER, 'NUMBER' in process.env, Object.keys(process.env).includes('NUMBER'), delete process.env.NUMBER, process.env.NUMBER);
