import { targetOfHeader } from '../../../csv/proposals.ts';
import type { Target } from '../../../csv/targets.ts';

/** Says which columns were recognized, by their names or by their values. */
export function recognitionOf(header: string[], proposed: Target[]): string {
  const count = proposed.filter((target) => target !== undefined).length;
  if (count === 0) return 'No column was recognized. Choose what each of them becomes.';
  const byValues = header.filter(
    (name, at) => proposed[at] !== undefined && targetOfHeader(name) !== proposed[at],
  );
  const how =
    byValues.length > 0 ? `, ${byValues.map((name) => `“${name}”`).join(' and ')} by the values` : '';
  if (count === header.length)
    return count === 1 ? `The column was recognized${how}.` : `All ${count} columns were recognized${how}.`;
  const were = count === 1 ? 'was' : 'were';
  return `${count} of ${header.length} columns ${were} recognized${how}. What is left out is not imported.`;
}

const UNITS = ['bytes', 'KB', 'MB', 'GB'];

/** “850 bytes”, “12 KB”, “1.3 MB” */
export function sizeOf(bytes: number): string {
  const power = bytes < 1_000 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), UNITS.length - 1);
  const size = bytes / 1_000 ** power;
  return `${power > 0 && size < 10 ? size.toFixed(1) : Math.round(size)} ${UNITS[power]}`;
}
