import { useEffect, useRef } from 'preact/hooks';

/** The messages of running tasks for the case that the end of the session interrupts them. */
const tasks = new Set<{ current: () => string | undefined }>();

/** The messages of interrupted tasks: what they had done by then. */
export const farewells = (): string[] => [...tasks].flatMap(({ current }) => current() ?? []);

/** Registers, while the component is shown, the message of its task for the end of the session. */
export function useFarewell(say: () => string | undefined): void {
  const latest = useRef(say);
  latest.current = say;
  useEffect(() => {
    tasks.add(latest);
    return () => void tasks.delete(latest);
  }, []);
}
