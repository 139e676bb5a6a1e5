import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';

type Run = (count: (items: number) => void, signal: AbortSignal) => Promise<void>;

/** Reads something long page by page, shows how far it is, and stops when asked or left. */
export function useExport(run: Run) {
  const [count, setCount] = useState(0);
  const stopping = useRef<AbortController>(undefined);
  const running = useMutation({
    mutationFn: async () => {
      const controller = new AbortController();
      stopping.current = controller;
      setCount(0);
      try {
        await run(setCount, controller.signal);
      } catch (error) {
        // The person who stopped it knows that.
        if (controller.signal.aborted) return false;
        throw error;
      }
      return true;
    },
  });
  useEffect(() => () => stopping.current?.abort(), []);
  return {
    count,
    isRunning: running.isPending,
    isDone: running.data === true,
    error: running.error,
    start: () => running.mutate(),
    cancel: () => stopping.current?.abort(),
  };
}
