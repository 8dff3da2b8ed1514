import express from 'express';

/**
 * An Express that takes paths literally: an upper-case path, or one with an extra slash, would pass by a gateway's rules.
 * Express reads these settings when its router is created, which Nest's adapter does at once.
 */
export const strictExpress = () =>
  express().enable('case sensitive routing').enable('strict routing').disable('x-powered-by').disable('etag'); // answers are `no-store`
