import { All, Controller, NotImplementedException } from '@nestjs/common';
import { AnyToken } from '../../http/scopes';
import { ROOTS } from './base';

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
