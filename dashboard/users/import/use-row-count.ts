import { useEffect, useState } from 'preact/hooks';
import { countRows } from './csv-file.ts';

/** The number of rows of a file as soon as it is known. What prevents counting is said when the rows are checked. */
export function useRowCount(file: File | undefined): number | undefined {
  const [counted, setCounted] = useState<{ file: File; rows: number }>();
  useEffect(() => {
    if (!file) return;
    const controller = new AbortController();
    countRows(file, controller.signal).then(
      (rows) => setCounted({ file, rows }),
      () => {},
    );
    return () => controller.abort();
  }, [file]);
  return counted?.file === file ? counted?.rows : undefined;
}
