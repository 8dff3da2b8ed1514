import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { ThrottlerException } from '@nestjs/throttler';
import type { Request, Response } from 'express';
import { recordRefusal } from '../http/caller';
import { NetworkLimiter } from '../rate-limit/network-limiter';

const REPORTS_PER_HOUR = 60;

/** Answers 429 to an address that has sent too many reports in this hour. */
@Injectable()
export class ReportLimitGuard implements CanActivate {
  constructor(private readonly limiter: NetworkLimiter) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    const { isBlocked, timeToExpire } = await this.limiter.count('leak report', request.ip, REPORTS_PER_HOUR);
    if (!isBlocked) return true;
    recordRefusal(request, 'rate_limited');
    http.getResponse<Response>().setHeader('Retry-After', timeToExpire);
    throw new ThrottlerException(`Too many reports from this address. Retry in ${timeToExpire} s.`);
  }
}
