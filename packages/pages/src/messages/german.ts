import { html } from '../html.ts'
import type { Messages } from './messages.ts'

export const german: Messages = {
  lang: 'de',
  dir: 'ltr',
  unnamedClient: 'Eine Anwendung ohne Namen',
  consent: {
    title: 'Zugriff erlauben?',
    heading: (client) => html`${client} möchte Ihr Konto verwenden`,
    unverified: ({ host, client }) =>
      html`Sie nennt sich ${client}. Niemand hat diesen Namen geprüft; sicher ist nur ${host}.`,
    deviceWarning:
      'Jedes Programm auf diesem Gerät könnte diesen Namen verwenden. Erlauben Sie es nur, wenn Sie es gerade selbst gestartet haben.',
    signedInAs: (account) => html`Angemeldet als ${account}`,
    scopesLegend: 'Darum wird gebeten:',
    organizationsLegend: 'Für welche Organisation?',
    alwaysIncluded: 'Gehört immer zur Anmeldung',
    grantedBefore: 'Das haben Sie schon einmal erlaubt',
    resources: (names) => html`Das gilt für ${names}`,
    destination: {
      website: (name) => html`Wie Sie auch entscheiden, es geht weiter zu ${name}`,
      device: (name) => html`Wie Sie auch entscheiden, es geht weiter zu einem Programm auf diesem Gerät unter ${name}`,
      app: (name) => html`Wie Sie auch entscheiden, es geht weiter zu der App auf diesem Gerät mit der Kennung ${name}`,
    },
    deny: 'Ablehnen',
    allow: 'Erlauben',
    scopes: {
      openid: 'Sie anmelden',
      profile: 'Ihren Namen sehen',
      email: 'Ihre E-Mail-Adresse sehen',
      offline_access: 'Den Zugriff behalten, auch wenn Sie die Anwendung gerade nicht verwenden',
    },
  },
  signIn: {
    title: 'Anmelden',
    toContinue: (client) => html`um fortzufahren mit ${client}`,
    username: 'E-Mail-Adresse oder Benutzername',
    usernameHints: {
      directory: 'Verwaltet Ihre Organisation Ihr Konto? Dann geben Sie zuerst ihr Verzeichnis ein: Verzeichnis/Name',
    },
    password: 'Passwort',
    submit: 'Anmelden',
    errorTitle: 'Sie sind nicht angemeldet',
    errors: {
      rejected: 'Kein Konto passt zu diesem Namen und diesem Passwort. Prüfen Sie beides und versuchen Sie es erneut.',
      incomplete: 'Füllen Sie beide Felder aus und versuchen Sie es noch einmal.',
      throttled: 'Es gab zu viele Versuche. Warten Sie einige Minuten und versuchen Sie es dann noch einmal.',
    },
  },
  error: {
    title: 'Das hat nicht geklappt',
    advice:
      'Gehen Sie zurück zu Ihrer Anwendung und beginnen Sie von vorn. Hilft das nicht, wenden Sie sich an deren Betreiber.',
    codeLabel: 'Fehlercode',
  },
  logout: {
    title: 'Abmelden?',
    askedBy: (client) => html`${client} bittet Sie, sich abzumelden`,
    signedInAs: (account) => html`Angemeldet als ${account}`,
    signOut: 'Abmelden',
    stay: 'Angemeldet bleiben',
  },
  signedOut: {
    title: 'Sie sind abgemeldet',
    text: 'Sie können dieses Fenster schließen.',
    goOn: 'Weiter',
  },
  stillSignedIn: {
    title: 'Sie sind weiterhin angemeldet',
    text: 'Sie können dieses Fenster schließen.',
  },
}
