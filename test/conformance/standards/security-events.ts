import { notOffered, outside, rfc, type Standard } from './standard.ts'

/** The requirements of RFC 8417 for the issuer of security event tokens and for their recipient. */
export const rfc8417: Standard = {
  name: 'RFC 8417',
  title: 'Security Event Token (SET)',
  address: rfc(8417),
  requirements: [
    [
      '2.2',
      'iss, iat, jti and events are present; jti is unique',
      'a security event token > has one event, an own identifier, this issuer',
      'a receiver of security events > refuses tokens of other issuers, for others, with another type, or with a wrong signature (RFC 8935 §2.4)',
    ],
    [
      '2.2',
      'Every member of events is a URI with a JSON object',
      'a security event token > has one event, an own identifier, this issuer',
    ],
    [
      '2.2',
      'A recipient ignores events that it does not know',
      'follows the policy of the transmitter: deactivates, revokes, or ignores',
    ],
    [
      '2.3',
      'Explicit typing is secevent+jwt',
      'a security event token > has one event, an own identifier, this issuer',
    ],
    [
      '3',
      'A recipient checks the signature and who issued the token',
      'a receiver of security events > refuses tokens of other issuers, for others, with another type, or with a wrong signature (RFC 8935 §2.4)',
    ],
    [
      '4.6',
      'An event is not taken for another JWT of this server',
      'with the typ secevent+jwt, for a JWT of an issuer of the host (RFC 8725 §3.11)',
    ],
    ['5.1', 'Confidential events are sent over TLS', 'refuses a stream with no TLS, and stores nothing'],
  ],
}

/** The requirements of RFC 8935 for a transmitter and for a recipient. */
export const rfc8935: Standard = {
  name: 'RFC 8935',
  title: 'Push-Based Security Event Token (SET) Delivery Using HTTP',
  address: rfc(8935),
  requirements: [
    [
      '2',
      'A recipient checks the signature, the issuer and the audience before it accepts a token',
      'a receiver of security events > refuses tokens of other issuers, for others, with another type, or with a wrong signature (RFC 8935 §2.4)',
    ],
    [
      '2',
      'A token is accepted only when it will not be lost',
      'answers 503 while storage is unavailable, and acts when the event is sent again',
      'asks for the event again while the keys of the transmitter cannot be read',
    ],
    [
      '2.1',
      'The request is a POST of application/secevent+jwt that accepts application/json',
      'is pushed without an Authorization header if the receiver gave none (SSF 1.0 §6.1.1)',
      'refuses a body of another type, in a language that it names (RFC 8935 §2.1, §2.3)',
    ],
    [
      '2.2',
      'Success is 202 with an empty body',
      'a receiver of security events > signs the user out everywhere, once for each event (RFC 8935 §2.2)',
    ],
    [
      '2.3',
      'A failure is 400 with err and description, and the language of the description',
      'a receiver of security events > refuses tokens of other issuers, for others, with another type, or with a wrong signature (RFC 8935 §2.4)',
      'refuses a body of another type, in a language that it names (RFC 8935 §2.1, §2.3)',
    ],
    [
      '2.3',
      'The transmitter does not send a token again that was refused',
      'repeats an event with the same jti until the receiver accepts it, and gives one up that it refuses (RFC 8935 §2.4)',
    ],
    [
      '2.4',
      'err is a registered code',
      'a receiver of security events > refuses tokens of other issuers, for others, with another type, or with a wrong signature (RFC 8935 §2.4)',
    ],
    [
      '3',
      'A recipient identifies the transmitter',
      'a receiver of security events > refuses tokens of other issuers, for others, with another type, or with a wrong signature (RFC 8935 §2.4)',
    ],
    [
      '5.1',
      'The endpoint has TLS',
      'refuses a stream with no TLS, and stores nothing',
      'refuses a stream with a private address, and stores nothing',
    ],
  ],
}

/** The requirements of RFC 8936 for a transmitter. */
export const rfc8936: Standard = {
  name: 'RFC 8936',
  title: 'Poll-Based Security Event Token (SET) Delivery Using HTTP',
  address: rfc(8936),
  requirements: [
    [
      '2.2',
      'maxEvents limits the response, and 0 means that nothing is returned',
      'returns events to polls until they are acknowledged, whatever the order (RFC 8936 §2)',
      'is polled, acknowledged and reported in requests of their own and in one (RFC 8936 §2.4)',
    ],
    [
      '2.2',
      'returnImmediately is a Boolean, and false without it',
      'ends a poll that waits (RFC 8936 §2.5)',
      'a poll with a member of another type is refused (RFC 8936 §2.2)',
    ],
    [
      '2.3',
      'sets is an object that names each token by its jti, and empty if there is none',
      'is polled, acknowledged and reported in requests of their own and in one (RFC 8936 §2.4)',
    ],
    [
      '2.3',
      'moreAvailable says that there is more',
      'returns events to polls until they are acknowledged, whatever the order (RFC 8936 §2)',
    ],
    [
      '2.4',
      'Polling, acknowledging and reporting of errors may be in one request or in several',
      'is polled, acknowledged and reported in requests of their own and in one (RFC 8936 §2.4)',
    ],
    [
      '2.4',
      'What is not acknowledged is returned again',
      'returns events to polls until they are acknowledged, whatever the order (RFC 8936 §2)',
    ],
    [
      '2.5',
      'If there is nothing, the response waits for an event or the end of the interval',
      'ends a poll that waits (RFC 8936 §2.5)',
      'a poll finds an event behind thousands of changes that are no events of the stream, without waiting',
    ],
    ['2.6', 'A recipient reports errors in setErrs, with their language', outside('a duty of the receiver that polls')],
    ['3', '401 names the scheme', 'has status 401 and a challenge at every endpoint'],
    ['4.3', 'The endpoint has TLS', outside('the host or its proxy terminates TLS')],
  ],
}

/** The requirements of RFC 9967 for the events that are sent. */
export const rfc9967: Standard = {
  name: 'RFC 9967',
  title: 'SCIM Profile for Security Event Tokens, as used',
  address: rfc(9967),
  requirements: [
    [
      '2.1',
      'sub_id has the format scim and the path of the resource; there is no sub',
      'names only the session that ended, and a provisioned user by its address (SSF 1.0 §3.1, RFC 9967 §2.1)',
      'a security event token > has one event, an own identifier, this issuer',
    ],
    [
      '2.2',
      'attributes names SCIM attributes',
      'names SCIM attributes, and not claims, in the notice of a change (RFC 9967 §2.2)',
    ],
    ['2.3', 'Events of feeds', notOffered('a stream has all users; a receiver removes subjects as SSF describes')],
    [
      '2.4',
      'A notice has no values',
      'names SCIM attributes, and not claims, in the notice of a change (RFC 9967 §2.2)',
    ],
    ['2.4', 'Full events', notOffered('values stay here; a receiver reads the resource over SCIM')],
    ['2.5', 'Asynchronous requests', notOffered('every SCIM request is answered with its result')],
    [
      '3',
      'securityEvents in the configuration of the service provider lists the events',
      notOffered('each stream lists them in events_supported; a directory cannot have a stream of its own'),
    ],
  ],
}
