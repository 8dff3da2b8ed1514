import { Get, NotFoundException, Param } from '@nestjs/common';
import { AnyToken } from '../../http/scopes';
import { listOf, resourceTypes, schemas, serviceProviderConfig } from '../schema/discovery';
import { ScimBase } from './base';
import { ScimController } from './scim-controller.decorator';

/** Discovery: what this server supports. */
@ScimController()
@AnyToken()
export class DiscoveryController {
  @Get('ServiceProviderConfig')
  serviceProviderConfig(@ScimBase() base: string) {
    return serviceProviderConfig(base);
  }

  @Get('ResourceTypes')
  resourceTypes(@ScimBase() base: string) {
    return listOf(resourceTypes(base));
  }

  @Get('ResourceTypes/:name')
  resourceType(@ScimBase() base: string, @Param('name') name: string) {
    return found(resourceTypes(base), name);
  }

  @Get('Schemas')
  schemas(@ScimBase() base: string) {
    return listOf(schemas(base));
  }

  @Get('Schemas/:urn')
  schema(@ScimBase() base: string, @Param('urn') urn: string) {
    return found(schemas(base), urn);
  }
}

function found<T extends { id: string }>(resources: T[], id: string): T {
  const resource = resources.find((candidate) => candidate.id.toLowerCase() === id.toLowerCase());
  if (!resource) throw new NotFoundException('There is no such resource.');
  return resource;
}
