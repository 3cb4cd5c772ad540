import { clientsDuty, hostsTls, notOffered, rfc, type Standard } from './standard.ts'

/** The requirements of RFC 9728 for a resource server: `@mintmark/resource-server`. */
export const rfc9728: Standard = {
  name: 'RFC 9728',
  title: 'Protected Resource Metadata',
  address: rfc(9728),
  requirements: [
    [
      '1.2',
      'A resource identifier is an https URL without a fragment',
      'refuses an audience with a fragment',
      'does not exist for an API whose identifier is not a URL (RFC 9728 §1.2)',
    ],
    ['2', 'resource is present', 'names the authorization server, the bearer methods and the scopes (RFC 9728 §2)'],
    ['2.2', 'Signed metadata', notOffered('the document is not signed')],
    ['3', 'The document is served at the well-known URL, over https', 'of https://api.test is at', hostsTls],
    [
      '3.1',
      'The well-known part is between host and path; GET is supported',
      'of https://api.test/v1 is at',
      'of https://api.test:8443/v1?tenant=7 is at',
      'serves its metadata where clients look for it (RFC 9728 §3.1, §3.3)',
    ],
    [
      '3.2',
      'The response is 200 and JSON, without empty members',
      'serves its metadata where clients look for it (RFC 9728 §3.1, §3.3)',
    ],
    [
      '3.3',
      'resource in the document equals the identifier exactly',
      'contains the identifier exactly as tokens do (RFC 9728 §3.3)',
    ],
    ['3.3', 'The client compares resource with the identifier', clientsDuty],
    ['5.1', "A challenge contains the document's URL", 'RFC 9728 §5, RFC 8414 §3'],
  ],
}
