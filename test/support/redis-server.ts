import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { freePort } from './free-port.ts';
import { whenFileEnds } from './when-file-ends.ts';

/** A separate Redis, which a test can freeze, or kill and start again at its address. */
export interface RedisServer {
  url: string;
  hang(): void;
  resume(): void;
  kill(): Promise<void>;
  start(): Promise<void>;
}

export async function startRedis(): Promise<RedisServer> {
  const port = await freePort();
  let redis = await run(port);
  whenFileEnds(() => end(redis));
  return {
    url: `redis://127.0.0.1:${port}`,
    hang: () => redis.kill('SIGSTOP'),
    resume: () => redis.kill('SIGCONT'),
    kill: () => end(redis),
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

async function end(redis: ChildProcess): Promise<void> {
  if (redis.exitCode !== null || redis.signalCode !== null) return;
  redis.kill('SIGKILL');
  await once(redis, 'exit');
}
