/*
 * jdbc.java: PostgreSQL's JDBC driver: bound parameters (by the extended protocol, on the server from the fifth time on),
 * fetch sizes, batches, and the DatabaseMetaData by which BI tools browse a schema.
 */
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.Date;
import java.sql.DriverManager;
import java.sql.ParameterMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.Callable;

class Jdbc
{
	static int tests = 0;
	static int failures = 0;
	static Connection ana;
	static Connection registrar;

	static void ok(boolean good, String name, Object detail)
	{
		tests++;
		failures += good ? 0 : 1;
		System.out.println((good ? "" : "not ") + "ok " + tests + " - " + name);
		if (!good)
			System.out.println(("# " + detail).replace("\n", "\n# "));
	}

	static Connection connect(String role) throws SQLException
	{
		Properties p = new Properties();
		p.setProperty("user", role);
		p.setProperty("password", System.getenv("PGPASSWORD"));
		return DriverManager.getConnection("jdbc:postgresql://" + System.getenv("PGHOST") + ":" + System.getenv("PGPORT") + "/" + System.getenv("PGDATABASE"), p);
	}

	static List<List<Object>> rows(ResultSet result) throws SQLException
	{
		List<List<Object>> rows = new ArrayList<>();
		while (result.next())
		{
			List<Object> row = new ArrayList<>();
			for (int i = 1; i <= result.getMetaData().getColumnCount(); i++)
				row.add(result.getObject(i));
			rows.add(row);
		}
		result.close();
		return rows;
	}

	static List<List<Object>> ask(Connection c, String sql, Object... parameters) throws SQLException
	{
		PreparedStatement statement = c.prepareStatement(sql);
		for (int i = 0; i < parameters.length; i++)
			statement.setObject(i + 1, parameters[i]);
		return rows(statement.executeQuery());
	}

	/* Equal, but that numbers may differ by 5 %: many times the noise of each question here. */
	static boolean near(List<List<Object>> answer, List<List<Object>> truth)
	{
		if (truth.isEmpty() || answer.size() != truth.size())
			return false;
		for (int i = 0; i < truth.size(); i++)
			for (int j = 0; j < truth.get(i).size(); j++)
			{
				Object a = answer.get(i).get(j);
				Object b = truth.get(i).get(j);
				if (a instanceof Number && b instanceof Number
					? !(Math.abs(((Number) a).doubleValue() - ((Number) b).doubleValue()) <= 0.05 * Math.abs(((Number) b).doubleValue()))
					: !java.util.Objects.equals(a, b))
					return false;
			}
		return true;
	}

	static void compare(String name, Callable<List<List<Object>>> question, Callable<List<List<Object>>> exact)
	{
		try
		{
			List<List<Object>> answer = question.call();
			List<List<Object>> truth = exact.call();
			ok(near(answer, truth), name, answer + "\ntruth: " + truth);
		}
		catch (Exception e)
		{
			ok(false, name, e);
		}
	}

	static void answered(String name, String sql, Object... parameters)
	{
		compare(name, () -> ask(ana, sql, parameters), () -> ask(registrar, sql, parameters));
	}

	static Object spent() throws SQLException
	{
		return ask(ana, "SELECT sum(mu2) FROM gaussdp.my_journal").get(0).get(0);
	}

	/* Gives this, and costs nothing. */
	static void notCharged(String name, Object expected, Callable<Object> action)
	{
		try
		{
			Object before = spent();
			Object found = action.call();
			ok(found.equals(expected) && java.util.Objects.equals(spent(), before), name, found + ", charged " + before + " to " + spent());
		}
		catch (Exception e)
		{
			ok(false, name, e);
		}
	}

	/* The values of one column of what the metadata say. */
	static void shows(String name, String expected, String column, Callable<ResultSet> metadata)
	{
		try (ResultSet result = metadata.call())
		{
			List<String> values = new ArrayList<>();
			while (result.next())
				values.add(result.getString(column));
			ok(String.join(" ", values).equals(expected), name, values);
		}
		catch (Exception e)
		{
			ok(false, name, e);
		}
	}

	static List<String> names(ResultSetMetaData columns) throws SQLException
	{
		List<String> names = new ArrayList<>();
		for (int i = 1; i <= columns.getColumnCount(); i++)
			names.add(columns.getColumnName(i) + " " + columns.getColumnTypeName(i));
		return names;
	}

	static void questions()
	{
		answered("plain SQL", "SELECT channel, count(*), sum(amount), avg(pieces) FROM shop.orders GROUP BY channel ORDER BY channel");
		answered("integers, texts, numbers", "SELECT count(*) FROM shop.orders WHERE pieces > ? AND channel <> ? AND amount < ?", 3, "web", new BigDecimal("150.5"));
		answered("dates", "SELECT count(*) FROM shop.orders WHERE ordered_on >= ? AND ordered_on < ?", Date.valueOf("2024-03-01"), Date.valueOf("2024-09-01"));
		answered("timestamps and truth values", "SELECT count(*) FROM shop.customer WHERE joined < ? AND vip = ?", java.sql.Timestamp.valueOf("2023-08-01 00:00:00"), false);
		answered("JDBC's own syntax", "SELECT {fn month(o.ordered_on)}, count(*) FROM {oj shop.orders o LEFT OUTER JOIN shop.customer c ON o.customer_id = c.customer_id}"
			+ " WHERE o.ordered_on > {d '2024-02-01'} GROUP BY 1 ORDER BY 1");
		answered("as BI tools write it", "SELECT \"t0\".\"region\" AS \"region\", SUM(1) AS \"sum:Number of Records:ok\", AVG(CAST(\"t0\".\"age\" AS DOUBLE PRECISION)) AS \"avg:age:ok\""
			+ " FROM \"shop\".\"customer\" \"t0\" WHERE ((\"t0\".\"age\" >= 20) AND (\"t0\".\"age\" <= 80)) GROUP BY 1 ORDER BY 1 ASC NULLS LAST LIMIT 1000");
		for (Object epsilon : new Object[] { 3.0, 3.0f, new BigDecimal("3.0"), 3, 3L })
		{
			String type = epsilon.getClass().getSimpleName();
			compare("dp_count, epsilon " + type, () -> ask(ana, "SELECT dp_count(?, ?) FROM shop.customer", epsilon, 1e-6),
				() -> ask(registrar, "SELECT count(*) FROM shop.customer"));
			compare("dp_sum, epsilon " + type, () -> ask(ana, "SELECT dp_sum(age, ?, ?, ?, ?) FROM shop.customer", epsilon, 1e-6, 0, 120),
				() -> ask(registrar, "SELECT sum(age) FROM shop.customer"));
		}
		compare("dp_count, epsilon unknown", () -> {
			PreparedStatement statement = ana.prepareStatement("SELECT dp_count(?, ?) FROM shop.customer");
			statement.setObject(1, "3.0", java.sql.Types.OTHER);
			statement.setObject(2, "1e-6", java.sql.Types.OTHER);
			return rows(statement.executeQuery());
		}, () -> ask(registrar, "SELECT count(*) FROM shop.customer"));
		compare("dp_count, epsilon a text with a cast", () -> ask(ana, "SELECT dp_count(CAST(? AS numeric), ?::numeric) FROM shop.customer", "3.0", "1e-6"),
			() -> ask(registrar, "SELECT count(*) FROM shop.customer"));
		compare("prepared on the server", () -> {
			PreparedStatement statement = ana.prepareStatement("SELECT count(*) FROM shop.customer WHERE age > ?");
			List<List<Object>> all = new ArrayList<>();
			for (int age = 20; age < 32; age++)
			{
				statement.setInt(1, age);
				all.addAll(rows(statement.executeQuery()));
			}
			return all;
		}, () -> ask(registrar, "SELECT count(*) FILTER (WHERE c.age > a) FROM shop.customer c, generate_series(20, 31) a GROUP BY a ORDER BY a"));
		compare("a fetch size, in a transaction", () -> {
			ana.setAutoCommit(false);
			try (Statement statement = ana.createStatement())
			{
				statement.setFetchSize(2);
				return rows(statement.executeQuery("SELECT region, count(*) FROM shop.customer GROUP BY region ORDER BY region"));
			}
			finally
			{
				ana.commit();
				ana.setAutoCommit(true);
			}
		}, () -> ask(registrar, "SELECT region, count(*) FROM shop.customer GROUP BY region ORDER BY region"));
		compare("setMaxRows", () -> {
			Statement statement = ana.createStatement();
			statement.setMaxRows(1);
			return rows(statement.executeQuery("SELECT region, count(*) FROM shop.customer GROUP BY region ORDER BY region"));
		}, () -> ask(registrar, "SELECT region, count(*) FROM shop.customer GROUP BY region ORDER BY region LIMIT 1"));
	}

	static void probes()
	{
		List<String> columns = List.of("customer_id int4", "region text", "age int4", "vip bool", "joined timestamptz");

		for (String probe : new String[] { "LIMIT 0", "WHERE 1 = 0", "WHERE 1=2", "WHERE false" })
			notCharged("probe: " + probe, columns, () -> {
				ResultSet result = ana.createStatement().executeQuery("SELECT * FROM shop.customer " + probe);
				return result.next() ? "a row" : names(result.getMetaData());
			});
		notCharged("probe around a query, as tools write it", List.of("region text", "n int8"), () -> {
			ResultSet result = ana.createStatement().executeQuery("SELECT * FROM (SELECT region, count(*) AS n FROM shop.customer GROUP BY region) AS \"probe\" WHERE 1 = 0");
			return result.next() ? "a row" : names(result.getMetaData());
		});
		notCharged("PreparedStatement.getMetaData", columns, () -> names(ana.prepareStatement("SELECT * FROM shop.customer WHERE age > ?").getMetaData()));
		notCharged("getParameterMetaData", "int4 numeric", () -> {
			ParameterMetaData types = ana.prepareStatement("SELECT count(*) FROM shop.orders WHERE pieces > ? AND amount < ?").getParameterMetaData();
			return types.getParameterTypeName(1) + " " + types.getParameterTypeName(2);
		});
		notCharged("isNullable and table of a probe's columns", "customer 0", () -> {
			ResultSetMetaData m = ana.createStatement().executeQuery("SELECT age FROM shop.customer LIMIT 0").getMetaData();
			return ((org.postgresql.PGResultSetMetaData) m).getBaseTableName(1) + " " + m.isNullable(1);
		});
	}

	static void metadata() throws SQLException
	{
		DatabaseMetaData m = ana.getMetaData();

		shows("getSchemas", "shop", "TABLE_SCHEM", () -> m.getSchemas(null, "sho%"));
		shows("getTables", "customer day orders region", "TABLE_NAME", () -> m.getTables(null, "shop", "%", new String[] { "TABLE" }));
		shows("getTables, comments", "Who has bought something", "REMARKS", () -> m.getTables(null, "shop", "customer", null));
		shows("getColumns", "customer_id region age vip joined", "COLUMN_NAME", () -> m.getColumns(null, "shop", "customer", "%"));
		shows("getColumns, types", "int4 int4 date text int4 numeric text", "TYPE_NAME", () -> m.getColumns(null, "shop", "orders", "%"));
		shows("getPrimaryKeys", "order_id", "COLUMN_NAME", () -> m.getPrimaryKeys(null, "shop", "orders"));
		shows("getImportedKeys", "customer", "PKTABLE_NAME", () -> m.getImportedKeys(null, "shop", "orders"));
		shows("getExportedKeys", "orders", "FKTABLE_NAME", () -> m.getExportedKeys(null, "shop", "customer"));
		shows("getIndexInfo", "order_id customer_id", "COLUMN_NAME", () -> m.getIndexInfo(null, "shop", "orders", false, true));
		shows("getBestRowIdentifier", "order_id", "COLUMN_NAME", () -> m.getBestRowIdentifier(null, "shop", "orders", DatabaseMetaData.bestRowSession, false));
		ok(m.getFunctions(null, "gaussdp", "queries_left").next(), "getFunctions", "");
		ok(m.getTypeInfo().next() && m.getTableTypes().next() && m.getCatalogs().next(), "getTypeInfo, getTableTypes, getCatalogs", "");
	}

	public static void main(String[] args) throws SQLException
	{
		ana = connect("ana");
		registrar = connect("registrar");
		questions();
		probes();
		metadata();
		System.out.println("1.." + tests);
		System.exit(failures == 0 ? 0 : 1);
	}
}
