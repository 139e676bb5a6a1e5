// Imported first: it compiles all schemas that are created after it.
import 'zod/compile';
import { openFoundation, type Surroundings } from './app/foundation.ts';
import { RunningApp, stopParts } from './app/running-app.ts';
import { createServices } from './app/services.ts';
import type { Config } from './config.ts';
import { consoleTasks, registerConsole } from './console/register-console.ts';
import { appRouter, eventReaders, periodicTasks, workers } from './features/index.ts';
import { SETTINGS_CHANNEL } from './features/settings/settings-row.ts';
import { removeLeftoverFiles } from './features/transfer/run-transfer.ts';
import { registerMcp } from './mcp/register-mcp.ts';
import { EventReaders } from './platform/events/event-readers.ts';
import { createPeriodicWorker } from './platform/loops/periodic-tasks.ts';
import { ProcessRecorder } from './platform/processes/process-recorder.ts';
import { Workers } from './platform/worker.ts';
import { createHttpServer, createMetricsServer } from './server/server.ts';

/**
 * Builds every part once, in order, and passes it to the parts that need it. There are no singletons.
 *
 * @param surroundings replacements for the clock and the like, for tests
 */
export async function createApp(config: Config, surroundings: Surroundings = {}) {
  const disposables = new AsyncDisposableStack();
  try {
    const foundation = await openFoundation(config, surroundings, disposables);
    await removeLeftoverFiles(config);
    const { feed, jobs, lifecycle } = foundation;
    const { services, realtime } = await createServices(foundation, disposables);
    const recorder = new ProcessRecorder({ ...services, roles: config.roles });
    disposables.defer(() => recorder.stop());
    const readers = new EventReaders(foundation, eventReaders);
    feed.listen(SETTINGS_CHANNEL, () => readers.settingsChanged());
    disposables.defer(() => readers.stop());
    const tasks = [...periodicTasks, ...consoleTasks].map(createPeriodicWorker);
    const allWorkers = new Workers([...tasks, ...workers]);
    disposables.defer(() => allWorkers.stop());
    disposables.defer(() => jobs.stop());
    const http = await createHttpServer(services, appRouter, lifecycle, {
      requestTimeoutMs: surroundings.requestTimeoutMs,
      extensions: [registerMcp, registerConsole],
    });
    // Closed together: the server closes only once all its sockets and streams are closed.
    disposables.defer(async () => {
      const { streams } = services.gate;
      await Promise.all([http.close(), realtime.closeConnections(), streams.close()]);
    });
    disposables.defer(() => services.modelLimits.calls.stop());
    disposables.defer(() => lifecycle.enter('stopping'));
    const metricsServer = config.metricsPort ? createMetricsServer(services) : undefined;
    disposables.defer(() => metricsServer?.close());
    return new RunningApp({
      ...foundation,
      services,
      http,
      metricsServer,
      realtime,
      readers,
      workers: allWorkers,
      recorder,
      withDemo: config.roles.has('api') && surroundings.withoutDemo !== true,
      disposables,
    });
  } catch (error) {
    await stopParts(disposables);
    throw error;
  }
}
