import { notOffered, rfc, type Standard } from './standard.ts'

/** The requirements of RFC 8693 for an authorization server. */
export const rfc8693: Standard = {
  name: 'RFC 8693',
  title: 'OAuth 2.0 Token Exchange',
  address: rfc(8693),
  requirements: [
    [
      '2.1',
      'subject_token and subject_token_type are required',
      'a request that is refused > without a subject token (RFC 8693 §2.1, §2.2.2)',
      'a request that is refused > without the type of the subject token (RFC 8693 §2.1, §2.2.2)',
      'an exchange with an empty subject is refused',
    ],
    [
      '2.1',
      'actor_token_type comes with actor_token, and never alone',
      'with an actor token without a type (RFC 8693 §2.1, §2.2.2)',
      'with the type of an actor token alone (RFC 8693 §2.1, §2.2.2)',
    ],
    [
      '2.1',
      'resource is an absolute URI without a fragment',
      'an exchange with a relative address as resource is refused',
      'an exchange with a fragment in the resource is refused',
    ],
    [
      '2.1',
      'Several values of resource and audience mean that the token is for all of them',
      'for two APIs of which one is in the rule (RFC 8693 §2.1, §2.2.2)',
    ],
    [
      '2.1',
      'The subject token is validated as its type demands',
      'with an unknown subject token (RFC 8693 §2.1, §2.2.2)',
      'with an access token as ID token (RFC 8693 §2.1, §2.2.2)',
      'no token is active after something that it was exchanged for has ended > the user is deactivated',
    ],
    [
      '2.1',
      'The actor token is validated, and the client may present it',
      'an actor token of a user, or of another client (RFC 8693 §5)',
      'an exchange with an unknown type of actor is refused',
    ],
    [
      '2.2.1',
      'The response has access_token, issued_token_type and token_type, and says the scope if it differs',
      'a token response names what was issued, how long it lives and what it is for, and is not cached (RFC 8693 §2.2.1)',
      'gives a token for the next API that names the user and the client that acts (RFC 8693 §2.2.1, §4.1)',
    ],
    [
      '2.2.1',
      'token_type is N_A for a token that is no access token',
      'an ID-JAG for another authorization server > names the user, the client there, and what an administrator has permitted',
    ],
    [
      '2.2.1',
      'Responses are not cached',
      'a token response names what was issued, how long it lives and what it is for, and is not cached (RFC 8693 §2.2.1)',
    ],
    [
      '2.2.2',
      'An invalid request, or an unacceptable token, is invalid_request',
      'with an unknown subject token (RFC 8693 §2.1, §2.2.2)',
      'an exchange with a SAML assertion as the subject is refused',
      'an exchange with a JWT as the requested type is refused',
    ],
    [
      '2.2.2',
      'A target for which no token is issued is invalid_target',
      'for an API that is not in the rule (RFC 8693 §2.1, §2.2.2)',
      'for an API that does not exist (RFC 8693 §2.1, §2.2.2)',
    ],
    [
      '3',
      'Token types are named by their URIs',
      'an exchange with a SAML assertion as the subject is refused',
      'for a refresh token (RFC 8693 §2.1, §2.2.2)',
    ],
    ['3', 'SAML assertions', notOffered('this server neither issues nor reads SAML')],
    [
      '4.1',
      'act names the party that acts; earlier ones are nested, and only the outermost decides',
      'nests the parties that act, the current one outermost (RFC 8693 §4.1)',
      'tells an API that introspects the token who acts, and not where it comes from (RFC 8693 §4.1)',
    ],
    [
      '4.1',
      'Claims that are no identity, such as exp, are not in act',
      'nests the parties that act, the current one outermost (RFC 8693 §4.1)',
    ],
    [
      '4.3',
      'client_id names the client that requested the token',
      'gives a token for the next API that names the user and the client that acts (RFC 8693 §2.2.1, §4.1)',
    ],
    [
      '4.4',
      'may_act names the party that may act',
      'the party that may act > is the only one: a token that names another is refused to the API that it is for (RFC 8693 §4.4)',
      'the party that may act > is named by the token of the user, and exchanges it without serving the API (RFC 8693 §4.4)',
    ],
    [
      '5',
      'Clients are authenticated, and need a permission',
      'an exchange without client authentication is refused (RFC 8693 §2.1, §5)',
      'a request that is refused > a public client (RFC 8693 §5)',
      'a request that is refused > a client without a rule (RFC 8693 §2.2.2)',
    ],
    [
      '5',
      'A token is not used by a party that it was not issued for',
      'a token that was issued to another client for another API (RFC 8693 §5)',
    ],
  ],
}
