import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { ApiError } from '../../client/index.ts';

interface Fault {
  field: string;
  message: string;
}

/** What the page itself finds wrong with its fields. */
export class LocalFaults extends Error {
  constructor(readonly faults: Fault[]) {
    super('There are faults in the form.');
  }
}

/**
 * Submits a form: one at a time, and what was typed stays whatever comes of it. Faults of the named fields are for the
 * form to show there; `error` is what is left.
 */
export function useSubmit(fields: string[], action: (data: FormData) => Promise<void>) {
  const ref = useRef<HTMLFormElement>(null);
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  useLayoutEffect(() => {
    if (failure) ref.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
  }, [failure]);

  const run = async (data: FormData) => {
    setBusy(true);
    setFailure(undefined);
    try {
      await action(data);
    } catch (error) {
      setFailure(error);
    } finally {
      setBusy(false);
    }
  };

  const faults = faultsOf(failure);
  const isShown = faults.length > 0 && faults.every(({ field }) => fields.includes(field.split('.')[0]));
  return {
    ref,
    busy,
    submit(event: SubmitEvent) {
      event.preventDefault();
      if (!busy) void run(new FormData(event.currentTarget as HTMLFormElement));
    },
    /** What is wrong with a field. */
    errorAt: (field: string) => faults.find((fault) => fault.field === field)?.message,
    /** The faults of what is inside a field: `metadata.plan`. */
    errorsBelow: (field: string) => faults.filter((fault) => fault.field.startsWith(`${field}.`)),
    error: isShown ? undefined : failure,
  };
}

function faultsOf(failure: unknown): Fault[] {
  if (failure instanceof LocalFaults) return failure.faults;
  return failure instanceof ApiError ? failure.errors : [];
}
