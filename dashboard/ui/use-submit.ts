import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { ApiError } from '../../client/index.ts';
import { type Fault, LocalFaults } from './faults.ts';

/**
 * Submits a form, one submission at a time. The form shows the faults of `fields` next to them; `error` is any other
 * failure.
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
  const isShownAtFields =
    faults.length > 0 && faults.every(({ field }) => fields.includes(field.split('.')[0]));
  return {
    ref,
    busy,
    submit(event: SubmitEvent) {
      event.preventDefault();
      if (!busy) void run(new FormData(event.currentTarget as HTMLFormElement));
    },
    /** The message of a field's fault. */
    errorAt: (field: string) => faults.find((fault) => fault.field === field)?.message,
    /** The faults inside a field, such as `metadata.plan`. */
    errorsBelow: (field: string) => faults.filter((fault) => fault.field.startsWith(`${field}.`)),
    error: isShownAtFields ? undefined : failure,
  };
}

export type Form = ReturnType<typeof useSubmit>;

function faultsOf(failure: unknown): Fault[] {
  if (failure instanceof LocalFaults) return failure.faults;
  return failure instanceof ApiError ? failure.errors : [];
}
