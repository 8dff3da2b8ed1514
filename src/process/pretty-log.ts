import type { DestinationStream } from 'pino';
import { printable } from './printable';

const LEVELS: Record<number, string> = {
  10: 'TRACE',
  20: 'DEBUG',
  30: '\x1b[32mINFO\x1b[39m ',
  40: '\x1b[33mWARN\x1b[39m ',
  50: '\x1b[31mERROR\x1b[39m',
  60: '\x1b[31mFATAL\x1b[39m',
};

/** Log lines for a person at a terminal: the time, the level, what happened, and then all else that is known of it. */
export const prettyLog = (write: (text: string) => void): DestinationStream => ({
  write: (line) => write(pretty(JSON.parse(line))),
});

function pretty({ level, time, msg, message, error, ...fields }: Record<string, unknown>): string {
  const { method, route, status, ms, ...others } = fields;
  const happened = status ? [method, route ?? '-', status, `${String(ms)} ms`] : [msg ?? message];
  const { stack, ...cause } = (error ?? {}) as Record<string, unknown>;
  const rest = Object.entries({ ...others, ...cause }).map(([key, value]) => `${key}=${shown(value)}`);
  const said = [...happened.filter(Boolean).map(String), ...rest].map(printable).join(' ');
  const trace = typeof stack === 'string' ? `${stack}\n` : '';
  return `${String(time).slice(11, 23)} ${LEVELS[Number(level)]} ${said}\n${trace}`;
}

const shown = (value: unknown) => (typeof value === 'object' ? JSON.stringify(value) : String(value));
