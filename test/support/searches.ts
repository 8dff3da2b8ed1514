import { HttpStatus, ServiceUnavailableException } from '@nestjs/common';

const ATTEMPTS = 5;

/** PostgreSQL's code of a statement that has been cancelled. */
const CANCELLED = '57014';

/** Repeats a search that a busy machine has made slower than its time limit. */
export async function inTime<Result>(search: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await search();
    } catch (error) {
      const isTooSlow =
        error instanceof ServiceUnavailableException ||
        (error as { driverError?: { code?: string } }).driverError?.code === CANCELLED;
      if (!isTooSlow || attempt === ATTEMPTS) throw error;
    }
  }
}

/** The same for a request. */
export async function responseInTime<Response extends { status: number }>(
  request: () => PromiseLike<Response>,
): Promise<Response> {
  for (let attempt = 1; ; attempt++) {
    const response = await request();
    if (response.status !== Number(HttpStatus.SERVICE_UNAVAILABLE) || attempt === ATTEMPTS) return response;
  }
}
