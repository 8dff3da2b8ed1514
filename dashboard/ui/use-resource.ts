import { useEffect, useState } from 'preact/hooks';

interface Result<Value> {
  key: string;
  value?: Value;
  error?: unknown;
}

export type Resource<Value> = ReturnType<typeof useResource<Value>>;

/** A value that is fetched as a whole. `key` identifies it; the old value stays while it is fetched again. */
export function useResource<Value>(key: string, fetchIt: (signal: AbortSignal) => Promise<Value>) {
  const [attempt, setAttempt] = useState(0);
  const [result, setResult] = useState<Result<Value>>({ key: '' });
  const requestKey = `${key} ${attempt}`;
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const finish = (result: Partial<Result<Value>>) => {
      if (!signal.aborted) setResult((last) => ({ value: last.value, ...result, key: requestKey }));
    };
    fetchIt(signal).then(
      (value) => finish({ value, error: undefined }),
      (error: unknown) => finish({ error }),
    );
    return () => controller.abort();
  }, [requestKey]);
  return {
    value: result.value,
    error: result.error,
    isLoading: result.key !== requestKey,
    reload: () => setAttempt((attempt) => attempt + 1),
    /** Replaces the fetched value, such as with the response to a change. */
    set: (value: Value) => setResult({ key: requestKey, value }),
    /** Changes the value that is shown, until it is fetched again. */
    change: (change: (value: Value) => Value) =>
      setResult((result) => (result.value ? { ...result, value: change(result.value) } : result)),
  };
}
