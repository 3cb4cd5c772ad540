import { notOffered, type Standard } from './standard.ts'

const withoutAccess = 'has status 401 and a challenge at every endpoint, without a token or with an invalid one'
const unknownStream = '… … has status 404 for an unknown stream (SSF 1.0 §8.1)'
const unknownRead = 'has status 404 if it reads or removes an unknown stream'
const brokenBody = ' has status 400 for a body that is no JSON object (SSF 1.0 §8.1)'
const verificationEvents = 'is polled, acknowledged and reported in requests of their own and in one (RFC 8936 §2.4)'
const heldOrDropped = 'is held while the stream is paused, pushed or polled, and dropped while it is disabled'
const suppliedKept =
  'keeps what the receiver supplies, as it was sent, when it is changed and replaced (SSF 1.0 §8.1.1.3, §8.1.1.4)'

/**
 * The modules of the plan openid-ssf-transmitter-test-plan, and those that openid-ssf-transmitter-caep-test-plan adds. The
 * latter leaves out the modules that update or replace a stream, change its status, or change its subjects. Names are those of the
 * classes, without `OIDSSF`.
 */
export const ssfTransmitterPlans: Standard = {
  name: 'SSF transmitter plans',
  title:
    'Modules of the plans openid-ssf-transmitter-test-plan and openid-ssf-transmitter-caep-test-plan, each with our test of the same expectation',
  address: 'https://gitlab.com/openid/conformance-suite/-/tree/master/src/main/java/net/openid/conformance/openid/ssf',
  requirements: [
    [
      'TransmitterMetadataTest',
      'The metadata is complete, and there is metadata of the protected resource with the scopes',
      'has https addresses, no empty list, OAuth as its scheme and an RSA key of 2048 bits',
      'leads a receiver of https://as.test from the challenge to a token that the transmitter accepts (CAEP Interop §2.7.2)',
    ],
    ['StreamControlNegativeTestReadStreamWithoutAccessToken', 'Status 401 with a challenge', withoutAccess],
    [
      'StreamControlNegativeTestReadStreamWithTokenInUriQuery',
      'Status 400 or 401',
      'has status 401 if the token is in the query (CAEP Interop §2.7.3)',
    ],
    [
      'StreamControlNegativeTestCreateStreamWithReadOnlyToken',
      'Status 403 with insufficient_scope',
      'has status 403 and names the scope if the token only allows to read',
    ],
    ['StreamControlNegativeTestReadStreamStatusWithInvalidAccessToken', 'Status 401 with invalid_token', withoutAccess],
    ['StreamControlNegativeTestReadStatusOfUnknownStream', 'Status 404', unknownRead],
    ['TransmitterStreamVerificationNegativeTestInvalidBody', 'Status 400', brokenBody],
    ['TransmitterStreamVerificationNegativeTestInvalidToken', 'Status 401 with invalid_token', withoutAccess],
    ['TransmitterStreamVerificationNegativeTestUnknownStream', 'Status 404', unknownStream],
    ['TransmitterPollEndpointAuthorizationTest', 'Status 401 with a challenge', withoutAccess],
    [
      'TransmitterPollEndpointUrlUniquePerStreamTest',
      'The streams of a receiver have different addresses',
      notOffered('a receiver has one stream, and a second one is answered with 409, for which the module is skipped'),
    ],
    [
      'StreamControlHappyPathTest',
      'A stream is created, read, changed, replaced, paused, disabled, enabled and removed',
      suppliedKept,
      'is enabled at first, and answers each change of its status with the new one (SSF 1.0 §8.1.2)',
      'lets a receiver read, replace and remove its own stream only, and have one (SSF 1.0 §8.1.1)',
    ],
    [
      'StreamControlCreateStreamWithoutDeliveryTest',
      'The method is poll',
      'is polled at an address of this server if the receiver names no method (SSF 1.0 §8.1.1.1)',
    ],
    ['StreamControlNegativeTestCreateStreamWithBrokenInput', 'Status 400', brokenBody],
    ['StreamControlNegativeTestCreateStreamWithInvalidAccessToken', 'Status 401', withoutAccess],
    [
      'StreamControlNegativeTestCreateStreamWithDuplicateConfig',
      'Status 201 or 409',
      'lets a receiver read, replace and remove its own stream only, and have one (SSF 1.0 §8.1.1)',
    ],
    ['StreamControlNegativeTestReadStreamWithInvalidAccessToken', 'Status 401', withoutAccess],
    ['StreamControlNegativeTestReadUnknownStream', 'Status 404', unknownRead],
    ['StreamControlNegativeTestUpdateStreamWithInvalidToken', 'Status 401', withoutAccess],
    ['StreamControlNegativeTestUpdateStreamWithInvalidBody', 'Status 400', brokenBody],
    ['StreamControlNegativeTestUpdateUnknownStream', 'Status 404', unknownStream],
    ['StreamControlNegativeTestReplaceStreamWithInvalidBody', 'Status 400', brokenBody],
    ['StreamControlNegativeTestReplaceStreamWithInvalidToken', 'Status 401', withoutAccess],
    ['StreamControlNegativeTestReplaceUnknownStream', 'Status 404', unknownStream],
    ['StreamControlNegativeTestDeleteStreamWithInvalidAccessToken', 'Status 401', withoutAccess],
    ['StreamControlNegativeTestDeleteUnknownStream', 'Status 404', unknownRead],
    [
      'StreamSubjectControlHappyPathTest',
      'A subject is added with status 200, and removed with 204',
      'leaves out subjects that the receiver removes, until it adds them again (SSF 1.0 §8.1.3)',
    ],
    [
      'TransmitterStreamVerificationPushTest',
      'The verification event is pushed with the authorization header and the state',
      'sends a verification event with the state, pushed or polled, and not too often (SSF 1.0 §8.1.4)',
      'has the credential of the receiver until delivery is sent without it, and never shows it (SSF 1.0 §6.1.1)',
    ],
    ['TransmitterStreamVerificationPollOnlyTest', 'The event is polled', verificationEvents],
    ['TransmitterStreamVerificationPollAndAckTest', 'One request acknowledges and polls', verificationEvents],
    ['TransmitterStreamVerificationAckOnlyTest', 'A request with maxEvents 0 acknowledges', verificationEvents],
    ['TransmitterStreamVerificationSetErrsTest', 'An error is reported with maxEvents 0', verificationEvents],
    [
      'TransmitterStreamVerificationLongPollTest',
      'A poll without returnImmediately waits for the event',
      'ends a poll that waits (RFC 8936 §2.5)',
    ],
    [
      'TransmitterStreamVerificationPushNoAuthTest',
      'Without a header of the receiver, none is sent',
      'is pushed without an Authorization header if the receiver gave none (SSF 1.0 §6.1.1)',
    ],
    [
      'TransmitterPausedStreamHoldsEventsTest',
      'Nothing is sent while the stream is paused, and everything when it is enabled again',
      heldOrDropped,
    ],
    [
      'TransmitterDisabledStreamDropsEventsTest',
      'Nothing is sent while the stream is disabled, and events are sent when it is enabled again',
      heldOrDropped,
    ],
    [
      'TransmitterStreamCaepInteropTest',
      'CAEP events are signed with RS256, have one event, a subject and a reason (only in the plan of CAEP Interop)',
      'a security event token > has one event, an own identifier, this issuer',
      'pushes each event once, in order, signed with RS256 and with the credential of the receiver (RFC 8935 §2)',
    ],
  ],
}
