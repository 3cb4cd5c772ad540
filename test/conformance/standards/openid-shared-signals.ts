import { hostsTls, notOffered, outside, type Standard } from './standard.ts'

const receivers = outside('a duty of the receiver')

/** The requirements of the Shared Signals Framework 1.0 for a transmitter and for a receiver. */
export const sharedSignals: Standard = {
  name: 'SSF 1.0',
  title: 'OpenID Shared Signals Framework 1.0',
  address: 'https://openid.net/specs/openid-sharedsignals-framework-1_0-final.html',
  requirements: [
    [
      '3.1',
      'sub_id at the top names the subject of the event',
      'names only the session that ended, and a provisioned user by its address (SSF 1.0 §3.1, RFC 9967 §2.1)',
    ],
    [
      '3.3',
      'A complex subject has the format complex, and simple subjects as members',
      'names only the session that ended, and a provisioned user by its address (SSF 1.0 §3.1, RFC 9967 §2.1)',
      'finds the user by e-mail address, externalId or in a complex subject, and no user of another provider',
    ],
    [
      '4.1.1',
      'The typ of a token is secevent+jwt',
      'a security event token > has one event, an own identifier, this issuer',
      'a receiver of security events > refuses tokens of other issuers, for others, with another type, or with a wrong signature (RFC 8935 §2.4)',
    ],
    ['4.1.2', 'There is no sub', 'a security event token > has one event, an own identifier, this issuer'],
    [
      '4.1.6',
      'iss is the issuer of the transmitter, as in its metadata and the stream',
      'a security event token > has one event, an own identifier, this issuer',
      'is found between the host and the path of the issuer (SSF 1.0 §7.2.1)',
    ],
    ['4.1.7', 'There is no exp', 'a security event token > has one event, an own identifier, this issuer'],
    [
      '4.1.9',
      'txn is the same only for events of one cause',
      'a security event token > has one event, an own identifier, this issuer',
    ],
    [
      '4.2.3',
      'Receivers ignore members that they do not understand',
      'follows the policy of the transmitter: deactivates, revokes, or ignores',
    ],
    [
      '6.1.1',
      'Every push has the authorization header that the receiver gave, and only then',
      'pushes each event once, in order, signed with RS256 and with the credential of the receiver (RFC 8935 §2)',
      'is pushed without an Authorization header if the receiver gave none (SSF 1.0 §6.1.1)',
      'has the credential of the receiver until delivery is sent without it, and never shows it (SSF 1.0 §6.1.1)',
    ],
    [
      '6.1.2',
      'The address for polls is unique for each stream of a receiver',
      'is polled at an address of this server if the receiver names no method (SSF 1.0 §8.1.1.1)',
    ],
    [
      '7.1',
      'issuer and all addresses are https URLs, jwks_uri has the keys, and no list is empty',
      'has https addresses, no empty list, OAuth as its scheme and an RSA key of 2048 bits',
    ],
    [
      '7.2',
      'The metadata is JSON at the well-known path, before the path of the issuer',
      'publishes its configuration to everybody (SSF 1.0 §7.1)',
      'is found between the host and the path of the issuer (SSF 1.0 §7.2.1)',
    ],
    ['7.2.4', 'A receiver checks the issuer of the metadata', receivers],
    [
      '8',
      'Requests are authorized, and a receiver reaches only its own streams',
      'lets a receiver read, replace and remove its own stream only, and have one (SSF 1.0 §8.1.1)',
      'has status 401 and a challenge at every endpoint',
    ],
    [
      '8.1.1',
      'events_delivered is part of what is supported and requested; event types that are not understood are ignored',
      'keeps what the receiver supplies, as it was sent, when it is changed and replaced (SSF 1.0 §8.1.1.3, §8.1.1.4)',
    ],
    [
      '8.1.1',
      'What the transmitter supplies cannot be changed',
      'may repeat what this server supplies, and changes nothing of it (SSF 1.0 §8.1.1.3)',
    ],
    [
      '8.1.1.1',
      'A stream is created with 201; a second one of the receiver with 409, unless several are allowed',
      'lets a receiver read, replace and remove its own stream only, and have one (SSF 1.0 §8.1.1)',
    ],
    [
      '8.1.1.1',
      'Without delivery, the method is poll, and the response has it',
      'is polled at an address of this server if the receiver names no method (SSF 1.0 §8.1.1.1)',
    ],
    [
      '8.1.1.2',
      'Without stream_id, all streams of the receiver are listed; the list may be empty',
      'is listed for its receiver, and the list is empty before (SSF 1.0 §8.1.1.2)',
    ],
    [
      '8.1.1.3',
      'PATCH changes what is sent and nothing else',
      'keeps what the receiver supplies, as it was sent, when it is changed and replaced (SSF 1.0 §8.1.1.3, §8.1.1.4)',
    ],
    [
      '8.1.1.4',
      'PUT deletes what is not sent',
      'keeps what the receiver supplies, as it was sent, when it is changed and replaced (SSF 1.0 §8.1.1.3, §8.1.1.4)',
    ],
    [
      '8.1.1.5',
      'DELETE names the stream, and is answered with 204',
      'lets a receiver read, replace and remove its own stream only, and have one (SSF 1.0 §8.1.1)',
    ],
    [
      '8.1.1',
      'An unknown stream is answered with 404, and a malformed body with 400',
      '… … has status 404 for an unknown stream (SSF 1.0 §8.1)',
      'POST … has status 400 for a body that is no JSON object (SSF 1.0 §8.1)',
      'has status 404 if it reads or removes an unknown stream',
    ],
    [
      '8.1.2.1',
      'The status is enabled, paused or disabled',
      'is enabled at first, and answers each change of its status with the new one (SSF 1.0 §8.1.2)',
    ],
    [
      '8.1.2.1',
      'While the stream is paused or disabled, nothing is sent; the order of what was held is kept',
      'is held while the stream is paused, pushed or polled, and dropped while it is disabled (SSF 1.0 §8.1.2.1)',
      'keeps the events of a paused stream, drops those of a disabled one, and reports the status (SSF 1.0 §8.1.2)',
    ],
    [
      '8.1.2.2',
      'A receiver changes the status',
      'is enabled at first, and answers each change of its status with the new one (SSF 1.0 §8.1.2)',
    ],
    [
      '8.1.3',
      'Subjects are added and removed',
      'leaves out subjects that the receiver removes, until it adds them again (SSF 1.0 §8.1.3)',
    ],
    [
      '8.1.4.1',
      'The subject of a verification event is the stream',
      'sends a verification event with the state, pushed or polled, and not too often (SSF 1.0 §8.1.4)',
    ],
    [
      '8.1.4.1',
      'A receiver checks the state',
      outside('the host asks for the verification event, and compares the state'),
    ],
    [
      '8.1.4.2',
      'The state of the request is in the event',
      'sends a verification event with the state, pushed or polled, and not too often (SSF 1.0 §8.1.4)',
    ],
    [
      '8.1.5',
      'If the transmitter changes the status by itself, it says so',
      notOffered('only the receiver changes the status of its stream'),
    ],
    [
      '9.1',
      'A receiver tolerates events about subjects that it removed',
      'a receiver of security events > finds the user by e-mail address, externalId or in a complex subject',
    ],
  ],
}

/** The requirements of CAEP 1.0 for the event that is sent, and of its interoperability profile. */
export const caep: Standard = {
  name: 'CAEP 1.0',
  title: 'OpenID Continuous Access Evaluation Profile 1.0, with the CAEP Interoperability Profile 1.0 (Interop)',
  address: 'https://openid.net/specs/openid-caep-1_0-final.html',
  requirements: [
    [
      '2',
      'event_timestamp counts seconds, and reason_admin is an object with a sentence for each language',
      'a security event token > has one event, an own identifier, this issuer',
    ],
    [
      '3.1',
      'The time of session-revoked is the time of the revocation',
      'a security event token > has one event, an own identifier, this issuer',
    ],
    [
      '3.3',
      'credential-change',
      notOffered('this server does not know when users change their credentials; it is received'),
    ],
    ['Interop 2.1', 'TLS 1.2 or later', hostsTls],
    [
      'Interop 2.3',
      'The metadata has spec_version, delivery_methods_supported, jwks_uri, the endpoints, and OAuth as a scheme',
      'has https addresses, no empty list, OAuth as its scheme and an RSA key of 2048 bits',
    ],
    [
      'Interop 2.3.8',
      'Push and poll are accepted, and delivery is in the configuration',
      'keeps what the receiver supplies, as it was sent, when it is changed and replaced (SSF 1.0 §8.1.1.3, §8.1.1.4)',
      'is polled at an address of this server if the receiver names no method (SSF 1.0 §8.1.1.1)',
    ],
    [
      'Interop 2.3.8',
      'Streams are created, read and verified',
      'sends a verification event with the state, pushed or polled, and not too often (SSF 1.0 §8.1.4)',
    ],
    [
      'Interop 2.4',
      'A receiver accepts pushed and polled events',
      'a receiver of security events > signs the user out everywhere, once for each event (RFC 8935 §2.2)',
      'handles a token that the host has polled, and throws while it must not be acknowledged (RFC 8936 §2.4)',
    ],
    [
      'Interop 2.5',
      'A receiver accepts the formats email and iss_sub, and a transmitter sends one of them',
      'finds the user by e-mail address, externalId or in a complex subject, and no user of another provider',
      'pushes each event once, in order, signed with RS256 and with the credential of the receiver (RFC 8935 §2)',
    ],
    [
      'Interop 2.6',
      'Events are signed with RS256 and a key of at least 2,048 bits',
      'has https addresses, no empty list, OAuth as its scheme and an RSA key of 2048 bits',
      'pushes each event once, in order, signed with RS256 and with the credential of the receiver (RFC 8935 §2)',
    ],
    [
      'Interop 2.7.1',
      'Receivers get short-lived tokens with client credentials',
      'has status 401 if the client of the token is disabled or the token has expired (CAEP Interop §2.7.3)',
    ],
    [
      'Interop 2.7.2',
      'ssf.manage allows everything, and ssf.read allows to read',
      'refuses requests without a token, with one of another scope, and writes with ssf.read (RFC 6750 §3.1)',
      'has status 403 and names the scope if the token only allows to read (RFC 6750 §3.1, CAEP Interop §2.7.2)',
    ],
    [
      'Interop 2.7.2',
      'Receivers find the scopes in the metadata of the protected resource, if there is such metadata',
      'leads a receiver of https://as.test from the challenge to a token that the transmitter accepts (CAEP Interop §2.7.2)',
    ],
    [
      'Interop 2.7.3',
      'Tokens are in the header, not in the query, and their validity and revocation are checked',
      'has status 401 if the token is in the query (CAEP Interop §2.7.3)',
      'has status 401 if the client of the token is disabled or the token has expired (CAEP Interop §2.7.3)',
    ],
    [
      'Interop 2.8.1',
      'A token has one event',
      'a security event token > has one event, an own identifier, this issuer',
    ],
    [
      'Interop 3.1',
      'session-revoked has a reason_admin that is not empty',
      'a security event token > has one event, an own identifier, this issuer',
    ],
    [
      'Interop 3.2',
      'A receiver interprets credential-change',
      'signs the user out for a changed credential, whatever its type (CAEP Interop §3.2)',
    ],
    ['Interop 3.3', 'device-compliance-change', notOffered('this server knows nothing about devices')],
  ],
}
