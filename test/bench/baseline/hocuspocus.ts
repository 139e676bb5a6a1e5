import { Server } from '@hocuspocus/server';
import { Pool } from 'pg';
import { applyUpdate, encodeStateAsUpdate } from 'yjs';

/**
 * Hocuspocus with the behaviour of its database extension: it reads the whole document on opening,
 * and writes it some seconds after a change. It does not authenticate.
 */
const pool = new Pool({ connectionString: process.env.DATABASE_URL, max: 10 });
await pool.query('CREATE TABLE IF NOT EXISTS vanilla (name text PRIMARY KEY, data bytea NOT NULL)');

const server = new Server({
  port: Number(process.env.PORT),
  address: '127.0.0.1',
  quiet: true,
  stopOnSignals: false,
  async onLoadDocument({ documentName, document }) {
    const text = 'SELECT data FROM vanilla WHERE name = $1';
    const { rows } = await pool.query({ name: 'load', text, values: [documentName] });
    if (rows[0]) applyUpdate(document, rows[0].data);
  },
  async onStoreDocument({ documentName, document }) {
    await pool.query({
      name: 'store',
      text: `INSERT INTO vanilla (name, data) VALUES ($1, $2)
             ON CONFLICT (name) DO UPDATE SET data = excluded.data`,
      values: [documentName, Buffer.from(encodeStateAsUpdate(document))],
    });
  },
});

process.once('SIGTERM', () => process.exit(0));
await server.listen();
