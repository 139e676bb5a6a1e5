import type { FastifyInstance } from 'fastify';
import { type ListenAddress, listenProblem } from '../listen-problem.ts';

export async function listen(server: FastifyInstance, where: ListenAddress): Promise<void> {
  try {
    await server.listen({ host: where.host, port: where.port });
  } catch (error) {
    throw listenProblem(error as NodeJS.ErrnoException, where);
  }
}

export const baseUrl = (host: string, port: number) =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
