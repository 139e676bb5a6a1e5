import { FLOODS } from './floods.ts';

const [name = '', url = ''] = process.argv.slice(2);
const flood = FLOODS[name];
if (!flood) throw new Error(`There is no flood ${name}.`);
process.on('disconnect', () => process.exit());
await flood(url);
