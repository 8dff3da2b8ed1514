import { All, Controller, Get, NotFoundException, NotImplementedException, Param } from '@nestjs/common';
import { AnyToken } from '../../platform/http/scopes';
import { listOf, resourceTypes, schemas, serviceProviderConfig } from '../schema/discovery';
import { ROOTS } from './base';
import { CurrentExchange, Exchange } from './exchange';
import { ScimController } from './scim-controller.decorator';

/** Discovery: what this server supports. */
@ScimController()
@AnyToken()
export class DiscoveryController {
  @Get('ServiceProviderConfig')
  serviceProviderConfig(@CurrentExchange() { base }: Exchange) {
    return serviceProviderConfig(base);
  }

  @Get('ResourceTypes')
  resourceTypes(@CurrentExchange() { base }: Exchange) {
    return listOf(resourceTypes(base));
  }

  @Get('ResourceTypes/:name')
  resourceType(@CurrentExchange() { base }: Exchange, @Param('name') name: string) {
    return found(resourceTypes(base), name);
  }

  @Get('Schemas')
  schemas(@CurrentExchange() { base }: Exchange) {
    return listOf(schemas(base));
  }

  @Get('Schemas/:urn')
  schema(@CurrentExchange() { base }: Exchange, @Param('urn') urn: string) {
    return found(schemas(base), urn);
  }
}

function found<T extends { id: string }>(resources: T[], id: string): T {
  const resource = resources.find((candidate) => candidate.id.toLowerCase() === id.toLowerCase());
  if (!resource) throw new NotFoundException('There is no such resource.');
  return resource;
}

/** The parts of SCIM that this service does not have. No body is read. */
@Controller([...ROOTS])
@AnyToken()
export class UnsupportedController {
  @All('Bulk')
  bulk(): never {
    throw new NotImplementedException('Bulk operations are not supported. Send the requests one by one.');
  }

  @All('Me')
  me(): never {
    throw new NotImplementedException('A token belongs to no user, so there is no /Me.');
  }
}
