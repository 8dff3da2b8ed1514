import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { ThrottlerException } from '@nestjs/throttler';
import type { Request, Response } from 'express';
import { recordRefusal } from '../http/caller';
import { networkOf } from './network';
import { ReportLimiter } from './report-limiter';

/** Answers 429 to an address that has sent too many reports in this hour. */
@Injectable()
export class ReportLimitGuard implements CanActivate {
  constructor(private readonly limiter: ReportLimiter) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    const { isBlocked, timeToExpire } = await this.limiter.count(networkOf(request.ip));
    if (!isBlocked) return true;
    recordRefusal(request, 'rate_limited');
    http.getResponse<Response>().setHeader('Retry-After', timeToExpire);
    throw new ThrottlerException(`Too many reports from this address. Retry in ${timeToExpire} s.`);
  }
}
