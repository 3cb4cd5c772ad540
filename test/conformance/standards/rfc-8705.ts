import { clientsDuty, rfc, type Standard } from './standard.ts'

/** The requirements of RFC 8705 for an authorization server and for a resource server. */
export const rfc8705: Standard = {
  name: 'RFC 8705',
  title: 'OAuth 2.0 Mutual-TLS Client Authentication and Certificate-Bound Access Tokens',
  address: rfc(8705),
  requirements: [
    [
      '2',
      'A request of a client with a certificate has client_id',
      'authenticates with its certificate at every endpoint (RFC 8705 §2.1)',
    ],
    [
      '2',
      'A client authenticates by its registered method',
      'a client with another method is not authenticated by a certificate (OIDC Registration §2)',
      'is refused when it sends a secret, even with its certificate (OIDC Registration §2)',
    ],
    [
      '2.1',
      'The certificate is valid, of a trusted authority, and has the registered name',
      'a client authenticates by a certificate of a trusted authority only (RFC 8705 §2.1)',
      'is refused with the certificate of another client, or of an unknown authority (RFC 8705 §2.1)',
      'is refused with an expired certificate, and with one that is not yet valid (RFC 5280 §4.1.2.5)',
    ],
    [
      '2.1.2',
      'A client has exactly one name',
      'refuses a client with tls_client_auth but no certificate name (RFC 8705 §2.1.2, §2.2.2)',
      'refuses a client with tls_client_auth and two certificate names (RFC 8705 §2.1.2, §2.2.2)',
      'is refused when its registration has no certificate name, or two (RFC 8705 §2.1.2)',
    ],
    [
      '2.1.2',
      'The name is a subject, DNS name, URI, address or e-mail address',
      'is identified by the subject of its certificate, compared as a parsed name (RFC 8705 §2.1.2, RFC 4514)',
      'is identified by the URI, IP address or e-mail address of its certificate (RFC 8705 §2.1.2)',
    ],
    [
      '2.2',
      'A self-signed certificate must be registered',
      'authenticates with the certificate of its key set, whoever issued it (RFC 8705 §2.2)',
      'is refused with another certificate, even of the same key (RFC 8705 §2.2)',
    ],
    [
      '3',
      'A protected resource refuses a bound token with another certificate',
      'is refused at userinfo with another certificate, or with none (RFC 8705 §3)',
      'an API admits a bound token only with its certificate (RFC 8705 §3)',
    ],
    [
      '3.1',
      'cnf has the thumbprint of the certificate',
      'gets tokens with the thumbprint of the certificate, which introspection shows (RFC 8705 §3.1, §3.2)',
    ],
    ['3.4', 'A client asks for bound tokens', clientsDuty],
    ['5', 'Discovery lists the aliases', 'discovery lists the methods and the aliases (RFC 8705 §3.3, §5)'],
    [
      '7.1',
      'Refresh tokens of public clients are bound',
      'is refused when it refreshes with another certificate, and the refresh token stays usable (RFC 8705 §7.1)',
    ],
  ],
}
