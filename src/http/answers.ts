import { SetMetadata, type Type } from '@nestjs/common';

/** What the OpenAPI document says about the responses of a route in addition to its signature. */
export interface AnswerFacts {
  /** Headers of a successful response, in addition to the common ones. */
  headers?: string[];
  /** Error statuses that are specific to this route. */
  failures?: number[];
  /** The class of the body, if the method returns the body as text. */
  view?: Type;
  /** The media type of the body, if it is not JSON. */
  mediaType?: string;
}

export const ANSWERS = 'ums:answers';

export const Answers = (facts: AnswerFacts) => SetMetadata(ANSWERS, facts);
