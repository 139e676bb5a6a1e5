import { spawn } from 'node:child_process';
import { freePort } from './free-port.ts';
import { endProcess } from './processes.ts';
import { whenFileEnds } from './when-file-ends.ts';

/** A separate Redis, which a test can freeze, or kill and start again at its address. */
export async function startRedis() {
  const port = await freePort();
  let redis = await run(port);
  whenFileEnds(() => endProcess(redis));
  return {
    url: `redis://127.0.0.1:${port}`,
    freeze: () => redis.kill('SIGSTOP'),
    resume: () => redis.kill('SIGCONT'),
    kill: async () => void (await endProcess(redis)),
    async start() {
      redis = await run(port);
    },
  };
}

async function run(port: number) {
  const settings = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly'];
  const redis = spawn('redis-server', [...settings, 'no'], { stdio: ['ignore', 'pipe', 'ignore'] });
  for await (const text of redis.stdout) {
    if (String(text).includes('Ready to accept connections')) return redis;
  }
  throw new Error('Redis ended while it started.');
}
