import express from 'express';

/**
 * An Express that matches paths literally, because an upper-case path or an extra slash could bypass a gateway's rules.
 * Express reads these settings when it creates its router, and Nest's adapter triggers that in its constructor.
 */
export const strictExpress = () =>
  express().enable('case sensitive routing').enable('strict routing').disable('x-powered-by').disable('etag'); // responses are `no-store`
