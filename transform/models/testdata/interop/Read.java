import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;

/**
 * Reads what a request on standard input names, by JDBC, and prints what it found, as read.py does:
 * {"file": PATH, "queries": {NAME: SQL}}. DuckDB itself takes the request apart.
 */
class Read {
    public static void main(String[] args) throws Exception {
        String request = new String(System.in.readAllBytes(), StandardCharsets.UTF_8);
        String file;
        List<String[]> asked;
        try (Connection db = DriverManager.getConnection("jdbc:duckdb:")) {
            file = rows(db, "SELECT json_extract_string(?, '$.file')", request).get(0)[0];
            asked = rows(db, "SELECT key, queries ->> key FROM (SELECT queries, unnest(json_keys(queries)) AS key"
                + " FROM (SELECT json_extract(?, '$.queries') AS queries))", request);
        }
        Properties readOnly = new Properties();
        readOnly.setProperty("duckdb.read_only", "true");
        readOnly.setProperty("threads", "1");
        StringBuilder out = new StringBuilder();
        try (Connection db = DriverManager.getConnection("jdbc:duckdb:" + file, readOnly)) {
            try (Statement zone = db.createStatement()) {
                zone.execute("SET TimeZone = 'Asia/Tokyo'"); // which is nobody's: instants must be the same in any
            }
            out.append("{\"version\":").append(quoted(db.getMetaData().getDatabaseProductVersion())).append(",\"answers\":{");
            String separator = "";
            for (String[] one : asked) {
                out.append(separator).append(quoted(one[0])).append(":").append(said(db, one[1]));
                separator = ",";
            }
        }
        System.out.write(out.append("}}").toString().getBytes(StandardCharsets.UTF_8));
        System.out.flush();
    }

    /** The text of each row of an answer about one text. */
    static List<String[]> rows(Connection db, String query, String about) throws SQLException {
        List<String[]> all = new ArrayList<>();
        try (var statement = db.prepareStatement(query)) {
            statement.setString(1, about);
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    String[] row = new String[rows.getMetaData().getColumnCount()];
                    for (int i = 0; i < row.length; i++) {
                        row[i] = rows.getString(i + 1);
                    }
                    all.add(row);
                }
            }
        }
        return all;
    }

    static String said(Connection db, String query) {
        try (Statement statement = db.createStatement()) {
            List<String> columns = new ArrayList<>();
            try (ResultSet described = statement.executeQuery("DESCRIBE " + query)) {
                while (described.next()) {
                    columns.add("[" + quoted(described.getString(1)) + "," + quoted(described.getString(2)) + "]");
                }
            }
            long total = 0, count = 0;
            MessageDigest sha = MessageDigest.getInstance("SHA-256");
            try (ResultSet rows = statement.executeQuery(query)) {
                while (rows.next()) {
                    List<String> cells = new ArrayList<>();
                    for (int i = 1; i <= columns.size(); i++) {
                        boolean words = rows.getMetaData().getColumnTypeName(i).equals("JSON"); // its object is the driver's own
                        cells.add(text(words ? rows.getString(i) : rows.getObject(i)));
                    }
                    total += ByteBuffer.wrap(sha.digest(String.join("|", cells).getBytes(StandardCharsets.UTF_8))).getLong();
                    count++;
                }
            }
            return String.format("{\"rows\":%d,\"columns\":[%s],\"sum\":\"%016x\"}", count, String.join(",", columns), total);
        } catch (Exception problem) { // one that cannot be read is told among those that can
            return "{\"error\":" + quoted(String.valueOf(problem)) + "}";
        }
    }

    /** A value in the one form that the test writes, too. */
    static String text(Object value) throws SQLException {
        if (value == null) {
            return "null";
        }
        if (value instanceof Double || value instanceof Float) {
            return String.format("%.16e", new BigDecimal(((Number) value).doubleValue())); // of the double itself: the digits are not exact
        }
        if (value instanceof OffsetDateTime instant) {
            return "@" + ChronoUnit.MICROS.between(Instant.EPOCH, instant.toInstant());
        }
        if (value instanceof java.sql.Array list) {
            List<String> items = new ArrayList<>();
            for (Object item : (Object[]) list.getArray()) {
                items.add(text(item));
            }
            return "[" + String.join(",", items) + "]";
        }
        if (value instanceof Boolean || value instanceof Number) {
            return value.toString();
        }
        return value.toString().getBytes(StandardCharsets.UTF_8).length + ":" + value;
    }

    static String quoted(String text) {
        StringBuilder out = new StringBuilder("\"");
        for (char c : text.toCharArray()) {
            out.append(c < ' ' || c == '"' || c == '\\' ? String.format("\\u%04x", (int) c) : String.valueOf(c));
        }
        return out.append('"').toString();
    }
}
