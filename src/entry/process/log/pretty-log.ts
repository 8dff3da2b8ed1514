import type { DestinationStream } from 'pino';

const LEVELS: Record<string, string> = {
  trace: 'TRACE',
  debug: 'DEBUG',
  info: '\x1b[32mINFO\x1b[39m ',
  warn: '\x1b[33mWARN\x1b[39m ',
  error: '\x1b[31mERROR\x1b[39m',
  fatal: '\x1b[31mFATAL\x1b[39m',
};

/** Formats log lines for a terminal: time, level, message or request, then all other fields. */
export const prettyLog = (write: (text: string) => void): DestinationStream => ({
  write: (line) => write(pretty(JSON.parse(line))),
});

function pretty({ level, time, msg, error, ...fields }: Record<string, unknown>): string {
  const { method, route, status, ms, ...others } = fields;
  const event = status ? [method, route ?? '-', status, `${String(ms)} ms`] : [msg];
  const { stack, ...cause } = (error ?? {}) as Record<string, unknown>;
  if (cause.message === msg) delete cause.message;
  const rest = Object.entries({ ...others, ...cause }).map(([key, value]) => `${key}=${formatValue(value)}`);
  const text = [...event.filter(Boolean).map(String), ...rest].map(printable).join(' ');
  const trace = typeof stack === 'string' ? `${stack}\n` : '';
  return `${String(time).slice(11, 23)} ${LEVELS[String(level)]} ${text}\n${trace}`;
}

const formatValue = (value: unknown) => (typeof value === 'object' ? JSON.stringify(value) : String(value));

/** Escapes control characters, because a name may contain ones that move the cursor or change colors. */
export const printable = (text: string) =>
  text.replace(/\p{Cc}/gu, (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`);
