import { Get, Param, Query, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Responses } from '../platform/http/responses';
import { ApiController } from '../platform/http/api-controller.decorator';
import { type Caller, CurrentCaller } from '../platform/http/caller';
import { Scopes } from '../platform/http/scopes';
import { linkNext, writePage } from '../platform/pages/page';
import { eventAsJson } from './event/event.serializer';
import { EventPageView, EventView } from './event/event.view';
import { ListEventsDto } from './event/event.dto';
import { EventsService } from './events.service';

@ApiController('api/v1/events')
export class EventsController {
  constructor(private readonly events: EventsService) {}

  /**
   * List events
   * @remarks Returns the events of the organization, page by page. To follow them, ask in ascending order, keep
   * `nextCursor`, and use it for the next request. Events are kept for a year, unless the service is configured
   * otherwise. An older cursor is a 400 with the code `out_of_range`, so that no event is missed silently.
   */
  @Get()
  @Scopes('admin')
  @Responses({ headers: ['Link'], view: EventPageView })
  async list(
    @CurrentCaller() by: Caller,
    @Query() query: ListEventsDto,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<string> {
    const page = await this.events.list(by, query);
    if (page.hasMore) linkNext(request, response, page);
    return writePage(response, page, eventAsJson);
  }

  /**
   * Get an event
   * @remarks Returns one event of the organization.
   */
  @Get(':id')
  @Scopes('admin')
  get(@CurrentCaller() by: Caller, @Param('id') id: string): Promise<EventView> {
    return this.events.get(by, id);
  }
}
