import { Controller, Get, Header } from '@nestjs/common';
import { SkipThrottle } from '@nestjs/throttler';
import { registry } from './metrics.js';

@Controller('metrics')
@SkipThrottle()
export class MetricsController {
  @Get()
  @Header('Content-Type', registry.contentType)
  metrics() {
    return registry.metrics();
  }
}
