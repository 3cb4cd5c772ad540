import type { SetupMessages } from './messages.ts'

export const german: SetupMessages = {
  lang: 'de',
  dir: 'ltr',
  title: 'Verzeichnis einrichten',
  skip: 'Zum Inhalt springen',
  never: 'Nie',
  open: {
    title: 'Verbinden Sie Ihr Verzeichnis',
    intro:
      'Dieser Link ist für die Personen, die das Verzeichnis Ihrer Organisation verwalten, etwa Microsoft Entra ID oder Okta. Bis er abläuft, kann jeder, der ihn hat, die Verbindung einrichten. Geben Sie ihn nicht an andere weiter.',
    button: 'Weiter',
  },
  heading: '{name} verbinden',
  until: 'Sie können bis {date} mit demselben Link zurückkommen.',
  changeDone: 'Die Änderung wurde vorgenommen.',
  state: {
    title: 'Zustand der Verbindung',
    off: 'Die Verbindung ist ausgeschaltet. Alle Anfragen Ihres Verzeichnisses werden abgelehnt.',
    suspended:
      'Ihr Verzeichnis wollte mehr Benutzer deaktivieren, als sein Limit erlaubt. Deshalb werden Deaktivierungen abgelehnt. Prüfen Sie die Zuweisungen in Ihrem Verzeichnis, und bitten Sie dann die unten genannten Personen, sie wieder zuzulassen.',
    noSecret: 'Es gibt kein gültiges Secret Token. Erstellen Sie unten eines.',
    waiting:
      'Ihr Verzeichnis hat noch keine Anfrage gesendet. Tragen Sie dort die Werte unten ein, und testen Sie die Verbindung.',
    accepted: 'Sie funktioniert: Die letzte Anfrage wurde am {date} angenommen.',
    refused: 'Die letzte Anfrage wurde am {date} abgelehnt. Die Liste der Anfragen nennt den Grund.',
    secretMatches: 'Der Text ist ein gültiges Secret Token dieses Verzeichnisses.',
    secretUnknown: 'Der Text ist kein Secret Token dieses Verzeichnisses, oder das Token ist abgelaufen.',
  },
  test: {
    label: 'Zu prüfendes Secret Token (freiwillig)',
    hint: 'Fügen Sie ein, was Sie im Verzeichnis eingetragen haben, um zu sehen, ob es stimmt. Es wird nicht gespeichert.',
    button: 'Verbindung testen',
  },
  values: { title: 'Werte für Ihr Verzeichnis', tenantUrl: 'Mandanten-URL oder SCIM-Basis-URL' },
  secrets: {
    title: 'Secret Tokens',
    created: 'Erstellt',
    lastUsed: 'Zuletzt verwendet',
    expires: 'Läuft ab',
    empty: 'Keine.',
    create: 'Secret Token erstellen',
    createHint: 'Es wird einmal angezeigt. Vorhandene Tokens funktionieren noch eine Stunde.',
    revoke: 'Bisherige Secret Tokens widerrufen',
    revokeHint: 'Danach funktioniert nur noch das neueste.',
    newTitle: 'Neues Secret Token',
    once: 'Kopieren Sie es jetzt, und tragen Sie es in Ihrem Verzeichnis ein. Es kann nicht noch einmal angezeigt werden.',
    tooMany: 'Es gibt zu viele Secret Tokens. Widerrufen Sie zuerst die bisherigen.',
    back: 'Zurück zur Einrichtung',
  },
  steps: { title: 'Was zu tun ist', of: 'Schritte in {product}' },
  mapping: {
    title: 'Attribute',
    attribute: 'Attribut',
    use: 'Wofür es verwendet wird',
    uses: {
      identity: 'Kennzeichnet den Benutzer. Wählen Sie einen Wert, der sich nie ändert, etwa die Objekt-ID.',
      username: 'Der Name des Benutzers bei der Anmeldung. Er muss in Ihrem Verzeichnis eindeutig sein.',
      name: 'Der angezeigte Name',
      email: 'Die E-Mail-Adresse',
      phone: 'Die Telefonnummer',
      locale: 'Sprache und Zeitzone',
      active: 'Bei false verliert der Benutzer sofort jeden Zugriff.',
      groups: 'Gruppen und ihre Mitglieder',
      rest: 'Andere Attribute werden gespeichert und können von diesem Produkt verwendet werden.',
    },
  },
  requests: {
    title: 'Letzte Anfragen Ihres Verzeichnisses',
    empty: 'Noch keine.',
    notListed:
      'Anfragen mit einem falschen Secret Token stehen nicht in dieser Liste. Ihr Verzeichnis zeigt dafür den Status 401.',
    time: 'Zeit',
    request: 'Anfrage',
    result: 'Ergebnis',
    done: 'Angenommen',
  },
  problems: {
    taken:
      'Der Name oder die Kennung gehört schon einem anderen Benutzer oder einer anderen Gruppe. Ordnen Sie Benutzer über userName oder externalId zu.',
    missing:
      'Diesen Benutzer oder diese Gruppe gibt es hier nicht. Starten Sie die Bereitstellung neu, damit Ihr Verzeichnis sie anlegt.',
    value: 'Ein Wert fehlt oder ist nicht erlaubt. Prüfen Sie die Zuordnung des Attributs.',
    unsupported: 'Das Verzeichnis hat etwas gesendet, das dieser Dienst nicht versteht. Prüfen Sie die Schritte.',
    tooMany: 'Zu viele Anfragen in kurzer Zeit. Ihr Verzeichnis versucht es von selbst noch einmal.',
    tooLarge: 'Die Anfrage oder eine Gruppe darin ist zu groß. Senden Sie weniger auf einmal.',
    suspended: 'Es wurden in kurzer Zeit zu viele Benutzer deaktiviert. Siehe den Zustand der Verbindung.',
    protected: 'Dieser Benutzer ist geschützt. Ihr Verzeichnis kann ihn nicht ändern.',
    credentials:
      'Die Zugangsdaten gehören nicht zu diesem Verzeichnis. Erstellen Sie ein neues Secret Token, und tragen Sie es ein.',
    failed: 'Bei diesem Dienst ist ein Problem aufgetreten. Ihr Verzeichnis versucht es von selbst noch einmal.',
    other: 'Die Anfrage wurde abgelehnt.',
  },
  finish: {
    title: 'Fertig?',
    text: 'Die Verbindung funktioniert weiter. Der Link funktioniert danach für niemanden mehr.',
    button: 'Abschließen und Link widerrufen',
    doneTitle: 'Abgeschlossen',
    doneText: 'Der Link funktioniert nicht mehr. Sie können diese Seite schließen.',
  },
  errors: {
    code: 'Code',
    reference: 'Referenz',
    link: {
      title: 'Dieser Link funktioniert nicht',
      advice: 'Er ist abgelaufen, wurde widerrufen oder nicht vollständig kopiert.',
    },
    crossSite: {
      title: 'Das Formular wurde nicht von dieser Seite gesendet',
      advice: 'Es wurde nichts geändert. Öffnen Sie Ihren Link noch einmal.',
    },
    refused: { title: 'Die Anfrage wurde abgelehnt', advice: 'Es wurde nichts geändert.' },
    failed: { title: 'Etwas ist schiefgegangen', advice: 'Versuchen Sie es in einigen Minuten noch einmal.' },
    ask: 'Wenn Sie Hilfe oder einen neuen Link brauchen, fragen Sie {contact}.',
    askSender: 'Wenn Sie Hilfe oder einen neuen Link brauchen, fragen Sie die Person, die Ihnen den Link gesendet hat.',
  },
}
