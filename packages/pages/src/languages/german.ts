import type { Messages, StandardScope } from './messages.ts'

export const german: Messages = {
  lang: 'de',
  dir: 'ltr',
  unnamedClient: 'Eine Anwendung ohne Namen',
  consent: {
    title: 'Zugriff erlauben?',
    heading: '{client} möchte Ihr Konto verwenden',
    unverified: 'Die Anwendung nennt sich {client}. Dieser Name ist nicht geprüft; sicher ist nur {host}.',
    deviceWarning:
      'Jedes Programm auf diesem Gerät könnte diesen Namen verwenden. Erlauben Sie den Zugriff nur, wenn Sie das Programm gerade selbst gestartet haben.',
    signedInAs: 'Angemeldet als {account}',
    scopesLegend: 'Angeforderter Zugriff:',
    detailsLegend: 'Zur Genehmigung:',
    organizationsLegend: 'Für welche Organisation?',
    alwaysIncluded: 'Gehört immer zur Anmeldung',
    grantedBefore: 'Das haben Sie schon einmal erlaubt',
    resources: 'Der Zugriff gilt für {names}',
    destination: {
      website: 'In jedem Fall gelangen Sie danach zu {name}',
      device: 'In jedem Fall gelangen Sie danach zu einem Programm auf diesem Gerät ({name})',
      app: 'In jedem Fall gelangen Sie danach zu der App auf diesem Gerät mit der Kennung {name}',
    },
    deny: 'Ablehnen',
    allow: 'Erlauben',
    scopes: {
      openid: 'Sie anmelden',
      profile: 'Ihren Namen und Ihr Profil sehen',
      email: 'Ihre E-Mail-Adresse sehen',
      address: 'Ihre Postanschrift sehen',
      phone: 'Ihre Telefonnummer sehen',
      offline_access: 'Zugriff behalten, auch wenn Sie die Anwendung gerade nicht verwenden',
      organization: 'Sehen, für welche Organisation Sie angemeldet sind',
    } satisfies Readonly<Record<StandardScope, string>>,
  },
  signIn: {
    title: 'Anmelden',
    toContinue: 'um fortzufahren mit {client}',
    username: 'E-Mail-Adresse oder Benutzername',
    usernameHints: {
      directory: 'Verwaltet Ihre Organisation Ihr Konto? Dann geben Sie zuerst ihr Verzeichnis ein: Verzeichnis/Name',
    },
    password: 'Passwort',
    submit: 'Anmelden',
    errorTitle: 'Sie sind nicht angemeldet',
    errors: {
      rejected: 'Zu diesem Namen und Passwort gibt es kein Konto. Prüfen Sie beides und versuchen Sie es erneut.',
      incomplete: 'Füllen Sie beide Felder aus und versuchen Sie es erneut.',
      throttled: 'Es gab zu viele Versuche. Warten Sie einige Minuten und versuchen Sie es dann erneut.',
    },
  },
  error: {
    title: 'Das hat nicht geklappt',
    advice:
      'Kehren Sie zu Ihrer Anwendung zurück und beginnen Sie von vorn. Hilft das nicht, wenden Sie sich an deren Betreiber.',
    codeLabel: 'Fehlercode',
  },
  logout: {
    title: 'Abmelden?',
    askedBy: '{client} bittet Sie, sich abzumelden',
    signedInAs: 'Angemeldet als {account}',
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
  account: {
    title: 'Ihr Konto',
    appsHeading: 'Verbundene Anwendungen',
    noApps: 'Keine Anwendung hat Zugriff auf Ihr Konto.',
    appSince: 'Verbunden am {date}',
    disconnect: 'Trennen',
    sessionsHeading: 'Wo Sie angemeldet sind',
    thisBrowser: 'Dieser Browser',
    unknownBrowser: 'Unbekannter Browser',
    sessionTimes: 'Angemeldet am {since}, zuletzt verwendet am {used}',
    sessionApps: 'Angemeldet bei {names}',
    endSession: 'Abmelden',
    endOthers: 'Überall sonst abmelden',
  },
}
