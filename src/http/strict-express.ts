import express from 'express';

/**
 * Paths are what they are: an upper-case one, or one with a slash more, would pass by a gateway's rules. Express reads
 * these two when its router is made, which Nest's adapter does at once.
 */
export const strictExpress = () => express().enable('case sensitive routing').enable('strict routing');
