import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import de.captaingoldfish.scim.sdk.common.constants.enums.HttpMethod;
import de.captaingoldfish.scim.sdk.common.constants.enums.SortOrder;
import de.captaingoldfish.scim.sdk.common.etag.ETag;
import de.captaingoldfish.scim.sdk.common.exceptions.ConflictException;
import de.captaingoldfish.scim.sdk.common.exceptions.ResourceNotFoundException;
import de.captaingoldfish.scim.sdk.common.resources.Group;
import de.captaingoldfish.scim.sdk.common.resources.ResourceNode;
import de.captaingoldfish.scim.sdk.common.resources.ServiceProvider;
import de.captaingoldfish.scim.sdk.common.resources.User;
import de.captaingoldfish.scim.sdk.common.resources.complex.BulkConfig;
import de.captaingoldfish.scim.sdk.common.resources.complex.ETagConfig;
import de.captaingoldfish.scim.sdk.common.resources.complex.FilterConfig;
import de.captaingoldfish.scim.sdk.common.resources.complex.Meta;
import de.captaingoldfish.scim.sdk.common.resources.complex.PatchConfig;
import de.captaingoldfish.scim.sdk.common.resources.complex.SortConfig;
import de.captaingoldfish.scim.sdk.common.resources.multicomplex.AuthenticationScheme;
import de.captaingoldfish.scim.sdk.common.response.ScimResponse;
import de.captaingoldfish.scim.sdk.common.schemas.SchemaAttribute;
import de.captaingoldfish.scim.sdk.common.utils.JsonHelper;
import de.captaingoldfish.scim.sdk.server.endpoints.Context;
import de.captaingoldfish.scim.sdk.server.endpoints.ResourceEndpoint;
import de.captaingoldfish.scim.sdk.server.endpoints.ResourceHandler;
import de.captaingoldfish.scim.sdk.server.endpoints.authorize.Authorization;
import de.captaingoldfish.scim.sdk.server.endpoints.base.GroupEndpointDefinition;
import de.captaingoldfish.scim.sdk.server.endpoints.base.UserEndpointDefinition;
import de.captaingoldfish.scim.sdk.server.filter.FilterNode;
import de.captaingoldfish.scim.sdk.server.response.PartialListResponse;
import de.captaingoldfish.scim.sdk.server.schemas.ResourceType;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/** A partner with the server of SCIM-SDK, which keeps its users and groups in memory and gets them from Mintmark. */
public class Client {
  private static final String PATH = "/scim/v2";

  private final String token = UUID.randomUUID().toString();
  private final ResourceEndpoint scim;

  private Client() {
    var groups = new Groups();
    scim =
        new ResourceEndpoint(
            ServiceProvider.builder()
                .patchConfig(PatchConfig.builder().supported(true).build())
                // So few that every list has several pages.
                .filterConfig(FilterConfig.builder().supported(true).maxResults(2).build())
                .sortConfig(SortConfig.builder().supported(true).build())
                .eTagConfig(ETagConfig.builder().supported(true).build())
                .bulkConfig(BulkConfig.builder().supported(true).build())
                .authenticationSchemes(
                    List.of(AuthenticationScheme.builder().name("Bearer").description("Token").type("oauthbearertoken").build()))
                .build());
    enableFeatures(scim.registerEndpoint(new UserEndpointDefinition(new Users(groups))));
    enableFeatures(scim.registerEndpoint(new GroupEndpointDefinition(groups)));
  }

  /** Lets SCIM-SDK apply filters and versions. */
  private static void enableFeatures(ResourceType type) {
    type.getFeatures().setAutoFiltering(true);
    type.getFeatures().setAutoSorting(true);
    type.getFeatures().getETagFeature().setEnabled(true);
  }

  public static void main(String[] arguments) throws IOException {
    var partner = new Client();
    var http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    http.createContext(PATH, partner::answer);
    http.start();
    Checks.provision("http://127.0.0.1:" + http.getAddress().getPort() + PATH, partner.token);
    System.exit(0);
  }

  private void answer(HttpExchange exchange) throws IOException {
    Map<String, String> headers = new HashMap<>();
    exchange.getRequestHeaders().forEach((name, values) -> headers.put(name, values.get(0)));
    String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
    ScimResponse response =
        scim.handleRequest(
            "http://" + headers.get("Host") + exchange.getRequestURI(),
            HttpMethod.valueOf(exchange.getRequestMethod()),
            body,
            headers,
            new Context(new BearerToken()));
    int status = response.getHttpStatus();
    System.err.println(exchange.getRequestMethod() + " " + exchange.getRequestURI() + " " + body);
    System.err.println("If-Match: " + headers.get("If-match") + "; " + status + " " + response);
    response.getHttpHeaders().forEach(exchange.getResponseHeaders()::set);
    byte[] text = response.isEmpty() ? new byte[0] : response.toString().getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(status, text.length == 0 ? -1 : text.length);
    exchange.getResponseBody().write(text);
    exchange.close();
  }

  /** Accepts the one bearer token (RFC 6750 §2.1). */
  private class BearerToken implements Authorization {
    @Override
    public Set<String> getClientRoles() {
      return Set.of();
    }

    @Override
    public boolean authenticate(Map<String, String> headers, Map<String, String> query) {
      return headers.entrySet().stream()
          .anyMatch(
              header ->
                  header.getKey().equalsIgnoreCase("Authorization") && header.getValue().equals("Bearer " + token));
    }
  }

  /** Resources in memory. Each change gives a resource another version. */
  private abstract static class Store<T extends ResourceNode> extends ResourceHandler<T> {
    final Map<String, T> resources = new LinkedHashMap<>();
    private int changes = 0;

    /** Returns the name that only one resource may have; null if names need not be unique. */
    abstract String uniqueName(T resource);

    @Override
    public T createResource(T resource, Context context) {
      String name = uniqueName(resource);
      if (name != null && resources.values().stream().anyMatch(other -> name.equalsIgnoreCase(uniqueName(other))))
        throw new ConflictException("The name is used.");
      resource.setId(UUID.randomUUID().toString());
      return store(resource, Instant.now());
    }

    @Override
    public T getResource(
        String id, List<SchemaAttribute> attributes, List<SchemaAttribute> excludedAttributes, Context context) {
      T found = resources.get(id);
      if (found == null) throw new ResourceNotFoundException("No resource has this id.");
      return copy(found);
    }

    @Override
    public PartialListResponse<T> listResources(
        long startIndex,
        int count,
        FilterNode filter,
        SchemaAttribute sortBy,
        SortOrder sortOrder,
        List<SchemaAttribute> attributes,
        List<SchemaAttribute> excludedAttributes,
        Context context) {
      List<T> all = resources.values().stream().map(this::copy).toList();
      return PartialListResponse.<T>builder().resources(all).totalResults(all.size()).build();
    }

    @Override
    public T updateResource(T resource, Context context) {
      T before = getResource(resource.getId().get(), null, null, context);
      return store(resource, before.getMeta().get().getCreated().get());
    }

    @Override
    public void deleteResource(String id, Context context) {
      if (resources.remove(id) == null) throw new ResourceNotFoundException("No resource has this id.");
    }

    T store(T resource, Instant created) {
      // SCIM-SDK keeps its own values in the same object, and refuses another one.
      Meta meta = resource.getMeta().get();
      meta.setCreated(created);
      meta.setLastModified(Instant.now());
      meta.setVersion(ETag.builder().weak(true).tag(String.valueOf(++changes)).build());
      resources.put(resource.getId().get(), copy(resource));
      return resource;
    }

    private T copy(T resource) {
      return JsonHelper.copyResourceToObject(resource, getType());
    }
  }

  private static class Groups extends Store<Group> {
    @Override
    String uniqueName(Group group) {
      return null;
    }

    void removeMember(String userId) {
      for (Group group : resources.values()) {
        var others =
            group.getMembers().stream().filter(member -> !member.getValue().equals(Optional.of(userId))).toList();
        if (others.size() == group.getMembers().size()) continue;
        group.setMembers(others);
        store(group, group.getMeta().get().getCreated().get());
      }
    }
  }

  private static class Users extends Store<User> {
    private final Groups groups;

    Users(Groups groups) {
      this.groups = groups;
    }

    @Override
    String uniqueName(User user) {
      return user.getUserName().orElse(null);
    }

    @Override
    public void deleteResource(String id, Context context) {
      super.deleteResource(id, context);
      groups.removeMember(id);
    }
  }
}
