import { SetMetadata, type Type } from '@nestjs/common';

/** The facts about the responses of a route that the OpenAPI document cannot read from its signature. */
export interface ResponsesOfRoute {
  /** Headers of a successful response, in addition to the common ones. */
  headers?: string[];
  /** Conditional request headers of the route; it answers 304 or 412 to them. */
  conditions?: ('If-Match' | 'If-None-Match')[];
  /** Whether the route accepts an Idempotency-Key. */
  idempotencyKey?: boolean;
  /** Error statuses that are specific to this route. */
  failures?: number[];
  /** The class of the body, if the method returns the body as text. */
  view?: Type;
  /** The media type of the body, if the method does not return it as JSON. */
  mediaType?: string;
}

export const RESPONSES = 'ums:responses';

export const Responses = (responses: ResponsesOfRoute) => SetMetadata(RESPONSES, responses);
