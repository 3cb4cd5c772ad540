import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;

/** Exchanges lines with the command that runs the Java programs. */
public final class Checks {
  private static final BufferedReader input = new BufferedReader(new InputStreamReader(System.in));

  private Checks() {}

  /** Code that may throw. */
  public interface Check {
    void run() throws Exception;
  }

  /** Runs a check and reports it. */
  public static void report(String title, Check check) {
    try {
      check.run();
      System.out.println("passed " + title);
    } catch (Throwable error) {
      error.printStackTrace();
      System.out.println("failed " + title + ": " + String.valueOf(error).replace('\n', ' '));
    }
  }

  /** Opens an address in the browser of the signed-in user and returns its last page, as JSON. */
  public static String visit(String address) throws IOException {
    System.out.println("visit " + address);
    return input.readLine();
  }

  /** Ends a session at the server, which then sends logout tokens. Returns how many were delivered, as JSON. */
  public static String end(String session) throws IOException {
    System.out.println("end " + session);
    return input.readLine();
  }

  /** Lets Mintmark provision a SCIM service. The command reports the checks; this method returns after the last. */
  public static void provision(String baseUrl, String token) throws IOException {
    System.out.println("provision " + baseUrl + " " + token);
    input.readLine();
  }

  /** Throws an error unless both values are equal. */
  public static void expect(Object expected, Object actual) {
    if (expected == null ? actual != null : !expected.equals(actual))
      throw new AssertionError(actual + " instead of " + expected);
  }

  /** Throws an error unless the check throws this exception. */
  public static void expectException(Class<? extends Exception> expected, Check check) throws Exception {
    try {
      check.run();
    } catch (Exception error) {
      if (expected.isInstance(error)) return;
      throw error;
    }
    throw new AssertionError("did not throw " + expected.getSimpleName());
  }
}
