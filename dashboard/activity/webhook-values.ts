/** What is sent to a webhook, and in which order, as the pages say it. */
export const PAYLOADS = { full: 'The whole event', thin: 'Without data: nothing personal' };
export const ORDERINGS = { none: 'As fast as possible', organization: 'One after the other' };
