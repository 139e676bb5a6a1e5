import { useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { useKey } from '../../api/key.ts';
import { done } from '../../parts/notices.ts';

/** Says that something was done, and reads what this page shows again. */
export function useRenew(): (message: string) => void {
  const { apiKey } = useKey();
  const queries = useQueryClient();
  return useCallback(
    (message) => {
      done(message);
      void queries.invalidateQueries({ queryKey: ['directory', apiKey] });
    },
    [apiKey, queries],
  );
}
