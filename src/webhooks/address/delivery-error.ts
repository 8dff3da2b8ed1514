/** Why the last attempt of a delivery had no success. */
export const DELIVERY_ERRORS = [
  'status',
  'dns',
  'refused',
  'reset',
  'timeout',
  'tls',
  'address',
  'protocol',
] as const;
export type DeliveryError = (typeof DELIVERY_ERRORS)[number];

/** The steps of an attempt before its answer. */
export type Step = 'look up' | 'connect' | 'tls' | 'answer';

/** The end of an attempt without an answer. Its message is not for administrators of organizations. */
export class Unanswered extends Error {
  constructor(
    readonly reason: Exclude<DeliveryError, 'status'>,
    message: string,
    cause?: unknown,
  ) {
    super(message, { cause });
  }
}

/** What has ended an attempt during this step. */
export function unansweredBy(error: unknown, step: Step): Unanswered {
  if (error instanceof Unanswered) return error;
  return new Unanswered(reasonOf(error, step), (error as Error).message, error);
}

interface Reasons {
  /** By the call and code of an error of Node.js or OpenSSL, the most telling first. */
  known: [RegExp, Unanswered['reason']][];
  otherwise: Unanswered['reason'];
}

const REASONS: Record<Step, Reasons> = {
  'look up': { known: [], otherwise: 'dns' },
  connect: {
    known: [
      [/ECONNREFUSED/, 'refused'],
      [/ETIMEDOUT/, 'timeout'],
      [/ECONNRESET/, 'reset'],
    ],
    otherwise: 'refused', // by the network, which knows no way
  },
  tls: {
    known: [
      [/^(read|write) (ECONNRESET|EPIPE)/, 'reset'],
      [/ETIMEDOUT/, 'timeout'],
    ],
    otherwise: 'tls', // also if the receiver, who does not know TLS, hangs up
  },
  answer: {
    known: [
      [/HPE_/, 'protocol'],
      [/ERR_SSL_|EPROTO/, 'tls'], // TLS 1.3 may refuse a client as late as now
      [/ETIMEDOUT/, 'timeout'],
    ],
    otherwise: 'reset',
  },
};

function reasonOf(error: unknown, step: Step): Unanswered['reason'] {
  // Several if a name has several addresses.
  const errors = (error instanceof AggregateError ? error.errors : [error]) as NodeJS.ErrnoException[];
  const texts = errors.map(({ syscall, code }) => `${syscall} ${code}`);
  const { known, otherwise } = REASONS[step];
  return known.find(([pattern]) => texts.some((text) => pattern.test(text)))?.[1] ?? otherwise;
}
