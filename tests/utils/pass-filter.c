// SPDX-License-Identifier: LGPL-2.1-only
/*
 * A babeltrace2 plugin with a filter, filter.test.pass, that passes messages on. Tests use it for
 * graphs with a user's filter.
 */
#include <babeltrace2/babeltrace.h>

static bt_component_class_initialize_method_status
pass_init(bt_self_component_filter *self, bt_self_component_filter_configuration *config,
	  const bt_value *params, void *data)
{
	return bt_self_component_filter_add_input_port(self, "in", NULL, NULL) ||
			       bt_self_component_filter_add_output_port(self, "out", NULL, NULL)
		       ? BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_ERROR
		       : BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_OK;
}

static bt_message_iterator_class_initialize_method_status
iterator_init(bt_self_message_iterator *self, bt_self_message_iterator_configuration *config,
	      bt_self_component_port_output *port)
{
	bt_self_component_filter *component =
		(bt_self_component_filter *)bt_self_message_iterator_borrow_component(self);
	bt_message_iterator *upstream;

	if (bt_message_iterator_create_from_message_iterator(
		    self, bt_self_component_filter_borrow_input_port_by_name(component, "in"),
		    &upstream))
		return BT_MESSAGE_ITERATOR_CLASS_INITIALIZE_METHOD_STATUS_ERROR;
	bt_self_message_iterator_set_data(self, upstream);
	return BT_MESSAGE_ITERATOR_CLASS_INITIALIZE_METHOD_STATUS_OK;
}

static bt_message_iterator_class_next_method_status iterator_next(bt_self_message_iterator *self,
								  bt_message_array_const messages,
								  uint64_t capacity,
								  uint64_t *count)
{
	bt_message_array_const from;
	int status = (int)bt_message_iterator_next(bt_self_message_iterator_get_data(self), &from,
						   count);

	/* The upstream and downstream arrays have the same capacity, so all messages fit. */
	for (uint64_t i = 0; !status && i < *count && i < capacity; i++)
		messages[i] = from[i];
	return status;
}

static void iterator_finalize(bt_self_message_iterator *self)
{
	bt_message_iterator_put_ref(bt_self_message_iterator_get_data(self));
}

BT_PLUGIN_MODULE();
BT_PLUGIN(test);
BT_PLUGIN_FILTER_COMPONENT_CLASS(pass, iterator_next);
BT_PLUGIN_FILTER_COMPONENT_CLASS_INITIALIZE_METHOD(pass, pass_init);
BT_PLUGIN_FILTER_COMPONENT_CLASS_MESSAGE_ITERATOR_CLASS_INITIALIZE_METHOD(pass, iterator_init);
BT_PLUGIN_FILTER_COMPONENT_CLASS_MESSAGE_ITERATOR_CLASS_FINALIZE_METHOD(pass, iterator_finalize);
